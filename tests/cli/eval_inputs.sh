# Sourced in an empty folder with INPUTS set: fills images/, truth/ and list.txt with five good samples, among them one
# without ground truth and one with a bad one, and with everything that a list of other people may hold besides.
set -e
add_sample() {  # MODEL SOURCE
  mkdir -p images/chair
  cp -rl "$INPUTS/samples/$2" "images/chair/$1" 2>/dev/null || cp -r "$INPUTS/samples/$2" "images/chair/$1"
}
for model in a b c untrue nantrue; do
  add_sample "$model" shape
done
for bad in truncated-image bomb nan-camera few-rows; do
  add_sample "$bad" "$bad"
done
ln -s "$INPUTS/elsewhere/shape" images/chair/link
mkdir truth
for model in a b c truncated-image; do
  cp "$INPUTS/files/tetrahedron.obj" "truth/chair_${model}_00.obj"
done
cp "$INPUTS/files/nan.xyz" truth/chair_nantrue_00.xyz
printf 'chair_a_00.dat\nchair_b_00.dat\nchair_c_00.dat\n' > good.txt
{
  printf 'chair_a_00.dat\r\n\r\n'
  printf 'chair_a_00.dat\n'
  printf '../../secret_00.dat\n/etc/passwd\nchair_..\\..\\x_00.dat\n'
  printf 'chair_nul\0_00.dat\n'
  head -c 10000 /dev/zero | tr '\0' x
  printf '\nchair_truncated-image_00.dat\nchair_bomb_00.dat\nchair_nan-camera_00.dat\nchair_few-rows_00.dat\n'
  printf 'chair_link_00.dat\nchair_missing_00.dat\nchair_untrue_00.dat\nchair_nantrue_00.dat\n'
  printf '   \nchair_b_00.dat\nchair_c_00.dat'
} > list.txt
set +e
