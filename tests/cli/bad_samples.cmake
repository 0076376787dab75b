# A sample that is damaged in one way: one line that names the file, exit code 3, nothing written.
function(bad_sample name problem)
  p2mpp_cli_test(bad_sample_${name} ARGS predict --model $INPUTS/models/tiny $INPUTS/samples/${name} --out out EXIT 3
                 STDERR "error: .*${name}${problem}" NO_FILES_IN out)
endfunction()

bad_sample(missing-image "/rendering/06.png: cannot be opened: no such file")
bad_sample(text-image "/rendering/06.png: is not an image. expected a PNG, a JPEG or a WebP")
bad_sample(empty-image "/rendering/06.png: is not an image")
bad_sample(truncated-image "/rendering/06.png: damaged PNG")
bad_sample(flipped-bit "/rendering/06.png: damaged PNG")
bad_sample(bomb "/rendering/06.png: declares 30000x30000 pixels. expected at most")
bad_sample(one-pixel "/rendering/06.png: has 1x1 pixels. expected at least 2")
bad_sample(one-photo ": number of images is 1. expected at least 2")
bad_sample(few-rows "/rendering/rendering_metadata.txt: has 3 rows. expected row 6")
bad_sample(no-rows "/rendering/rendering_metadata.txt: has no row")
bad_sample(few-columns "/rendering/rendering_metadata.txt:1: has 4 columns. expected 5")
bad_sample(nan-camera "/rendering/rendering_metadata.txt:1: 'nan' is not a finite number")
bad_sample(infinite-camera "/rendering/rendering_metadata.txt:1: 'inf' is not a finite number")
bad_sample(words-camera "/rendering/rendering_metadata.txt:1: 'ten' is not a finite number")
bad_sample(zero-distance "/rendering/rendering_metadata.txt:1: distance is 0. expected a positive number")
bad_sample(empty ": is not a sample's folder. expected rendering/")
bad_sample(nowhere ": no such folder")

p2mpp_cli_test(bad_sample_is_a_file ARGS predict --model $INPUTS/models/tiny $INPUTS/samples/photos/photo1.png EXIT 3
               STDERR "photo1.png: is not a folder. expected a sample's folder")
# 30,000 x 30,000 x 4 bytes would be 3.4 GB: refused within an address space of 3 GB, of which sanitizers take far more.
if(NOT P2MPP_SANITIZE)
  p2mpp_cli_test(bad_sample_bomb_takes_no_memory
                 SHELL "ulimit -v 3000000; \"$P2MPP\" predict --model \"$INPUTS/models/tiny\" \"$INPUTS/samples/bomb\"" EXIT 3
                 STDERR "declares 30000x30000 pixels")
endif()
