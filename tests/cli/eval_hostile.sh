# Sourced after `eval` of list.txt, whose log is in log.txt: every bad entry is named, and nothing else is an error.
while IFS= read -r regex; do
  grep -qE "p2mpp: error: line $regex" log.txt || { echo "log.txt: no line matches: $regex" >&2; cat log.txt >&2; false || exit 9; }
done <<'END'
3: chair_a_00: .*line 1
4: [.][.]/[.][.]/secret_00: holds '/'
5: /etc/passwd: holds '/'
7: chair_nul.x00_00: holds
8: xxxxx.*: has 10000 characters
9: chair_truncated-image_00: .*06.png:
10: chair_bomb_00: .*06.png: declares 30000x30000 pixels
11: chair_nan-camera_00: .*'nan' is not a finite number
12: chair_few-rows_00: .*has 3 rows
13: chair_link_00: .*leads out of
14: chair_missing_00: .*images/chair/missing
15: chair_untrue_00:
16: chair_nantrue_00: .*chair_nantrue_00.xyz
END
test "$(grep -c '^p2mpp: error: ' log.txt)" = 14
