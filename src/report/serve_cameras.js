"use strict";

const kImageName = /\.(png|jpe?g|webp|bmp|hei[cf])$/i;  // HEIC only without cameras
const kArchiveName = /\.zip$/i;
// As the server takes them: our own, COLMAP's, and those of other programs.
const kCameraName = /^(cameras\.(json|txt|bin)|transforms\.json|(images|points3D)\.(txt|bin)|sfm_data\.json|reconstruction\.json|list\.txt|metadata\.json|.+\.(xml|csv|nvm|sfm|out|npz|npy))$/;
const kFewestPhotographs = 5;  // whose cameras are found
const kDefaultElevation = 25;  // degrees
const kDefaultDistance = 0.8;  // as in training

// Runs of digits compare as numbers, all else by its code, as the server sorts: view2 before view10.
function naturalOrder(a, b) {
  const parts = (name) => name.match(/\d+|\D/g) || [];
  const left = parts(a), right = parts(b);
  for (let i = 0; i < Math.min(left.length, right.length); ++i) {
    const numbers = /\d/.test(left[i]) && /\d/.test(right[i]);
    const difference = numbers ? Number(left[i]) - Number(right[i]) : 0;
    if (difference !== 0) return difference;
    if (!numbers && left[i] !== right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return left.length - right.length || (a < b ? -1 : a > b ? 1 : 0);
}

// The rows of a cameras.txt as [azimuth, elevation, distance]; null if it is none.
function parseRows(text) {
  const rows = text.split(/\r?\n/).map((line) => line.replace(/#.*/, "").trim()).filter((line) => line)
    .map((line) => line.split(/\s+/).map(Number));
  return rows.every((row) => row.length === 5 && row.every(Number.isFinite)) ? rows.map((row) => [row[0], row[1], row[3]]) : null;
}

function rowsText(rows) { return rows.map(([azimuth, elevation, distance]) => `${azimuth} ${elevation} 0 ${distance} 0\n`).join(""); }

// Equal steps once around.
function equalRows(count, step, elevation, distance) {
  return Array.from({ length: count }, (_, i) => [Math.round(1000 * i * step) / 1000, elevation, distance]);
}

// The page's example: its images as files, and their rows.
function exampleFiles(text) {
  const example = JSON.parse(text), names = Object.keys(example.images), rows = parseRows(example.rows);
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
  return { images: names.map((name) => new File([bytes(example.images[name])], name, { type: "image/png" })),
    rows: names.map((name) => rows[parseInt(name, 10)]) };
}
