"""An evaluation whose shards run on a Ray cluster: each is `p2mpp eval --shard K/N --resume`."""
