"use strict";

// A surface of the scene as a binary glTF 2.0 file: positions, normals and triangles.
function glbOf(geometry, name) {
  const kGltf = 0x46546C67, kJson = 0x4E4F534A, kBinary = 0x004E4942, kFloat = 5126, kUint = 5125;
  const kVertices = 34962, kIndices = 34963;
  const arrays = [geometry.attributes.position.array, geometry.attributes.normal.array, geometry.index.array];
  const box = new THREE.Box3().setFromBufferAttribute(geometry.attributes.position);
  let offset = 0;
  const views = arrays.map((array, i) => {
    const view = { buffer: 0, byteOffset: offset, byteLength: array.byteLength, target: i < 2 ? kVertices : kIndices };
    offset += array.byteLength;  // all are multiples of four bytes
    return view;
  });
  const count = geometry.attributes.position.count;
  const document = { asset: { version: "2.0", generator: "p2mpp viewer" }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: name }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1 }, indices: 2 }] }],
    accessors: [
      { bufferView: 0, componentType: kFloat, count: count, type: "VEC3", min: box.min.toArray(), max: box.max.toArray() },
      { bufferView: 1, componentType: kFloat, count: count, type: "VEC3" },
      { bufferView: 2, componentType: kUint, count: geometry.index.count, type: "SCALAR" }],
    bufferViews: views, buffers: [{ byteLength: offset }] };
  const text = new TextEncoder().encode(JSON.stringify(document));
  const padded = Math.ceil(text.length / 4) * 4;
  const file = new Uint8Array(12 + 8 + padded + 8 + offset), header = new DataView(file.buffer);
  [kGltf, 2, file.length, padded, kJson].forEach((word, i) => header.setUint32(4 * i, word, true));
  file.fill(0x20, 20, 20 + padded);
  file.set(text, 20);
  header.setUint32(20 + padded, offset, true);
  header.setUint32(24 + padded, kBinary, true);
  arrays.forEach((array, i) => {
    file.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), 28 + padded + views[i].byteOffset);
  });
  return file;
}

function download(bytes, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
