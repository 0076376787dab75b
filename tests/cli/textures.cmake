# Colours from the photographs of a capture. The tiny model puts its mesh anywhere: a small volume is coloured instead. The bytes of textures are tested in tests/texture.
if(NOT has_manifold3d MATCHES "True")
  return()
endif()
set(plain ARGS predict --model $INPUTS/models/tiny ${captures}/colmap_bin --no-fit --surface volume --resolution 32
          --surface-vertices 900)
p2mpp_cli_test(texture_of_a_capture ${plain} --texture 128 --format obj,glb
               STDERR "colmap_bin: texture: 128x128 texels, [0-9]+ charts, [1-6] photographs, [0-9.]+% of the surface unseen, "
               CREATES colmap_bin_predict.obj colmap_bin_predict.mtl colmap_bin_predict_texture.png colmap_bin_predict.glb)
p2mpp_cli_test(texture_by_default ${plain} --format glb --preview --view --json JSON samples.0.texture.unseen
               STDERR "colmap_bin: texture: 1024x1024 texels, " UNSANITIZED)
p2mpp_cli_test(texture_of_vertices ${plain} --texture vertex --format ply
               STDERR "colmap_bin: texture: colours of vertices, [1-6] photographs, " CREATES colmap_bin_predict.ply)
p2mpp_cli_test(texture_not_of_a_sample ARGS predict --model $INPUTS/models/tiny $INPUTS/samples/photos STDOUT "_predict.obj"
               NOT_STDERR "texture")
p2mpp_cli_test(texture_of_views ARGS predict --model $INPUTS/models/tiny $INPUTS/samples/photos --surface volume --resolution 32 --surface-vertices 900 --texture 64 --format glb
               STDERR "photos: texture: 64x64 texels, " UNSANITIZED)
# A mesh of another program; its layout is kept; photograph 2 is left out. The texture stays through refine.
p2mpp_cli_test(texture_of_any_mesh SCRIPT
               STDOUT "coloured.glb: [0-9]+ vertices, [0-9]+ faces\n.*IMG_0003.png: PSNR [0-9.]+ dB [(][0-9.]+ dB at its exposure[)], SSIM [0-9.]+, [0-9]+ pixels\n.*2 pictures are alike\n")
p2mpp_refusals(textures)
