# Sourced beside eval_inputs.sh: requests for the worker, and the worker with a pipe "in" that stays open as descriptor 9.
request() {  # ID [KEY: VALUE,]
  local photos=$INPUTS/samples/photos
  printf '{"id": "%s", %s "images": ["%s", "%s", "%s"], "cameras": "%s"}\n' "$1" "${2:-}" \
    "$photos/photo1.png" "$photos/photo2.png" "$photos/photo3.png" "$photos/cameras.txt"
}
entry() {  # ID ENTRY
  printf '{"id": "%s", "entry": "%s.dat", "line": %s}\n' "$1" "$2" "$1"
}
worker() {
  "$P2MPP" worker --model "$INPUTS/models/tiny" --quiet "$@"
}
start_worker() {
  mkfifo in
  "$P2MPP" worker --model "$INPUTS/models/tiny" --quiet "$@" <in >answers.txt &
  pid=$!
  exec 9>in
}
wait_for() {  # TEXT
  until grep -q "$1" answers.txt; do sleep 0.02; done
}
