"""An evaluation that is spread over many `p2mpp worker` processes."""
