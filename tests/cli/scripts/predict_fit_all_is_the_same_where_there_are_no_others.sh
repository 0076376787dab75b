set -e
p() { "$P2MPP" predict -q --model "$INPUTS/models/tiny" "$INPUTS/samples/shape" --surface template "$@" >>log; }
p --out none
p --out no --no-fit
p --out same --fit-views same
p --out all --fit-views all --threads 2
cmp none/shape_predict.obj no/shape_predict.obj
cmp same/shape_predict.obj all/shape_predict.obj
