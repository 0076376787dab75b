set -e
p() { "$P2MPP" predict -q --model "$INPUTS/models/tiny" "$@" --format xyz >>log; }
s="$INPUTS/samples/silent-nothing"
p "$s" --views 0,2 --out two
head -1 "$s/cameras.txt" > rows
tail -1 "$s/cameras.txt" >> rows
p --images "$s/photo1.png" "$s/photo3.png" --cameras rows --id silent-nothing --out named
cmp two/silent-nothing_predict.xyz named/silent-nothing_predict.xyz
