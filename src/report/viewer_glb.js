"use strict";

// The bytes of a data: URI.
function bytesOf(uri) { return new Uint8Array(decodeBytes(uri.slice(uri.indexOf(",") + 1))); }

// A surface of the scene as a binary glTF 2.0 file: positions, normals and triangles; with a texture (a data: URI) also
// its coordinates and the picture.
function glbOf(geometry, name, texture) {
  const kGltf = 0x46546C67, kJson = 0x4E4F534A, kBinary = 0x004E4942, kFloat = 5126, kUint = 5125;
  const kVertices = 34962, kIndices = 34963;
  const { position, normal, uv } = geometry.attributes, count = position.count;
  const index = geometry.index ? geometry.index.array : Uint32Array.from({ length: count }, (_, i) => i);
  const box = new THREE.Box3().setFromBufferAttribute(position);
  const binary = [], views = [];
  let offset = 0;
  const add = (array, target) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    views.push(target ? { buffer: 0, byteOffset: offset, byteLength: bytes.length, target: target }
      : { buffer: 0, byteOffset: offset, byteLength: bytes.length });
    binary.push({ bytes: bytes, offset: offset });
    offset = Math.ceil((offset + bytes.length) / 4) * 4;
    return views.length - 1;
  };
  const accessors = [
    { bufferView: add(position.array, kVertices), componentType: kFloat, count: count, type: "VEC3", min: box.min.toArray(),
      max: box.max.toArray() },
    { bufferView: add(normal.array, kVertices), componentType: kFloat, count: count, type: "VEC3" },
    { bufferView: add(index, kIndices), componentType: kUint, count: index.length, type: "SCALAR" }];
  const primitive = { attributes: { POSITION: 0, NORMAL: 1 }, indices: 2 };
  const document = { asset: { version: "2.0", generator: "p2mpp viewer" }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: name }], meshes: [{ primitives: [primitive] }], accessors: accessors, bufferViews: views };
  if (texture) {
    accessors.push({ bufferView: add(uv.array, kVertices), componentType: kFloat, count: count, type: "VEC2" });
    primitive.attributes.TEXCOORD_0 = 3;
    primitive.material = 0;
    document.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0, roughnessFactor: 1 } }];
    document.textures = [{ source: 0 }];
    document.images = [{ bufferView: add(bytesOf(texture)), mimeType: texture.slice(5, texture.indexOf(";")) }];
  }
  document.buffers = [{ byteLength: offset }];
  const text = new TextEncoder().encode(JSON.stringify(document));
  const padded = Math.ceil(text.length / 4) * 4;
  const file = new Uint8Array(12 + 8 + padded + 8 + offset), header = new DataView(file.buffer);
  [kGltf, 2, file.length, padded, kJson].forEach((word, i) => header.setUint32(4 * i, word, true));
  file.fill(0x20, 20, 20 + padded);
  file.set(text, 20);
  header.setUint32(20 + padded, offset, true);
  header.setUint32(24 + padded, kBinary, true);
  for (const part of binary) file.set(part.bytes, 28 + padded + part.offset);
  return file;
}

function download(bytes, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
