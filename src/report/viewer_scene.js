"use strict";

const kFieldOfView = 30;  // degrees
const kTurnStep = 0.12;   // radians a key press
const kTurnSpeed = 0.25;  // radians a second, until the page is touched

// From near to far: blue, green, yellow, red; shares of the largest distance and sRGB.
const kRamp = [[0.0, 59, 90, 170], [0.33, 64, 160, 110], [0.66, 240, 200, 70], [1.0, 200, 40, 40]];

function rampColour(share) {
  const x = Math.min(Math.max(share, 0), 1);
  let i = 1;
  while (i < kRamp.length - 1 && x > kRamp[i][0]) ++i;
  const [a, b] = [kRamp[i - 1], kRamp[i]];
  const t = (x - a[0]) / (b[0] - a[0]);
  return [1, 2, 3].map((channel) => a[channel] + t * (b[channel] - a[channel]));
}

function decodeBytes(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

// Three numbers a point, as an attribute of a geometry.
function vectors(text) { return new THREE.BufferAttribute(new Float32Array(decodeBytes(text)), 3); }

function distanceColours(text, largest) {
  const distances = new Float32Array(decodeBytes(text));
  const colours = new Float32Array(3 * distances.length);
  distances.forEach((distance, i) => {
    rampColour(distance / largest).forEach((value, channel) => {
      colours[3 * i + channel] = Math.pow(value / 255, 2.2);  // the shader computes with linear values
    });
  });
  return new THREE.BufferAttribute(colours, 3);
}

// The meshes and the ground truth in 3D. Throws where the browser has no WebGL.
class Scene3d {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.renderer = new THREE.WebGLRenderer({ canvas: canvas, antialias: true, alpha: true });
    this.renderer.gammaOutput = true;
    this.renderer.gammaFactor = 2.2;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(kFieldOfView, 1, 0.01, 100);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableKeys = false;  // arrow keys turn instead
    this.controls.addEventListener("change", () => this.request());
    this.waiting = false;
    this.addSurfaces();
    this.addTruth();
    this.addLights();
    if (data.upright) this.addGrid();
  }

  addSurfaces() {
    this.solid = new THREE.MeshStandardMaterial({ side: THREE.DoubleSide, roughness: 0.75, metalness: 0, polygonOffset: true,
      polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.crossing = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, color: 0xd02020 });
    const wire = new THREE.MeshBasicMaterial({ color: 0x101820, wireframe: true, transparent: true, opacity: 0.55 });
    this.surfaces = this.data.surfaces.map((surface) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", vectors(surface.vertices));
      geometry.setAttribute("normal", vectors(surface.normals));
      geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(decodeBytes(surface.triangles)), 1));
      if (surface.distances) geometry.setAttribute("color", distanceColours(surface.distances, this.data.largest_distance));
      const mesh = new THREE.Mesh(geometry, this.solid), edges = new THREE.Mesh(geometry, wire);
      const faces = new Uint32Array(decodeBytes(surface.intersecting)), crossing = this.crossingFaces(geometry, faces);
      this.scene.add(mesh, edges, crossing);
      const painted = this.paintedMesh(surface, geometry);
      if (painted) this.scene.add(painted);
      return { mesh: mesh, painted: painted, edges: edges, crossing: crossing, intersecting: faces.length,
        moreIntersect: surface.more_intersect, triangles: geometry.index.count / 3,
        vertices: geometry.attributes.position.count };
    });
    this.finest = this.surfaces[this.surfaces.length - 1].mesh.geometry;
    this.finest.computeBoundingBox();
    this.target = this.finest.boundingBox.getCenter(new THREE.Vector3());
    this.radius = Math.max(this.finest.boundingBox.getSize(new THREE.Vector3()).length() / 2, 1e-6);
  }

  // The mesh in its own colours, without lights: photographs have theirs. Null if it has none.
  paintedMesh(surface, geometry) {
    const material = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1,
      polygonOffsetUnits: 1 });
    if (surface.texture) {
      const corners = geometry.toNonIndexed();
      corners.deleteAttribute("color");
      corners.setAttribute("uv", new THREE.BufferAttribute(new Float32Array(decodeBytes(surface.corners)), 2));
      material.map = new THREE.TextureLoader().load(surface.texture, () => this.request());
      material.map.flipY = false;
      material.map.encoding = THREE.sRGBEncoding;
      material.map.anisotropy = this.renderer.capabilities.getMaxAnisotropy();
      return new THREE.Mesh(corners, material);
    }
    if (!surface.colours) return null;
    const bytes = new Uint8Array(decodeBytes(surface.colours)), colours = new Float32Array(bytes.length);
    bytes.forEach((value, i) => { colours[i] = Math.pow(value / 255, 2.2); });
    const own = new THREE.BufferGeometry();
    own.setAttribute("position", geometry.attributes.position);
    own.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    own.setIndex(geometry.index);
    material.vertexColors = THREE.VertexColors;
    return new THREE.Mesh(own, material);
  }

  // The faces that intersect others, as a mesh on the same vertices.
  crossingFaces(geometry, faces) {
    const some = new THREE.BufferGeometry(), corners = new Uint32Array(3 * faces.length);
    some.setAttribute("position", geometry.attributes.position);
    faces.forEach((face, i) => corners.set(geometry.index.array.subarray(3 * face, 3 * face + 3), 3 * i));
    some.setIndex(new THREE.BufferAttribute(corners, 1));
    return new THREE.Mesh(some, this.crossing);
  }

  addTruth() {
    this.truth = null;
    if (!this.data.truth) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", vectors(this.data.truth.points));
    geometry.setAttribute("color", distanceColours(this.data.truth.distances, this.data.largest_distance));
    this.truth = new THREE.Points(geometry, new THREE.PointsMaterial({ size: this.radius * 0.035, sizeAttenuation: true }));
    this.scene.add(this.truth);
  }

  // They go with the camera: the visible side is always lit.
  addLights() {
    const key = new THREE.DirectionalLight(0xffffff, 0.85), fill = new THREE.DirectionalLight(0xffffff, 0.18);
    key.position.set(-0.55, 0.75, 0.6);
    fill.position.set(0.8, 0.1, 0.55);
    this.camera.add(key, fill, key.target, fill.target);
    this.scene.add(this.camera, new THREE.HemisphereLight(0xffffff, 0x707070, 0.4));
  }

  addGrid() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const grid = new THREE.GridHelper(4 * this.radius, 16, dark ? 0x5a6673 : 0xb4bec8, dark ? 0x3c4650 : 0xd2d9e0);
    grid.position.set(this.target.x, this.finest.boundingBox.min.y - 0.002 * this.radius, this.target.z);
    this.scene.add(grid);
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
    if (this.afterDraw) this.afterDraw();
    document.body.dataset.frames = String(Number(document.body.dataset.frames || 0) + 1);
  }

  // Of the picture, at the middle of the object.
  pixelsPerUnit() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.canvas.parentElement.clientHeight / (2 * Math.tan(THREE.Math.degToRad(kFieldOfView / 2)) * distance);
  }

  // Width, height and depth of the object's box.
  size() { return this.finest.boundingBox.getSize(new THREE.Vector3()).toArray(); }

  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.renderer.setSize(width, height, false);
    const offset = this.camera.position.clone().sub(this.controls.target), direction = offset.clone().normalize();
    const before = this.distanceAlong(direction);
    this.camera.aspect = width / Math.max(height, 1);
    // What was in the picture stays in it.
    this.camera.position.copy(this.controls.target).addScaledVector(offset, this.distanceAlong(direction) / before);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  // As near along a direction as shows every vertex.
  distanceAlong(direction) {
    const half = Math.tan(THREE.Math.degToRad(kFieldOfView / 2)) * 0.86;
    const across = new THREE.Vector3(direction.z, 0, -direction.x).normalize(), up = direction.clone().cross(across);
    const positions = this.finest.attributes.position, point = new THREE.Vector3();
    const step = Math.max(1, Math.floor(positions.count / 50000));
    let distance = this.radius / 100;
    for (let i = 0; i < positions.count; i += step) {
      point.fromBufferAttribute(positions, i).sub(this.target);
      const side = Math.max(Math.abs(point.dot(across)) / this.camera.aspect, Math.abs(point.dot(up))) / half;
      distance = Math.max(distance, point.dot(direction) + side);
    }
    return distance;
  }

  // From a direction, with all of the object in the picture.
  look(position) {
    const direction = new THREE.Vector3().fromArray(position).normalize();
    this.controls.target.copy(this.target);
    this.camera.position.copy(direction).multiplyScalar(this.distanceAlong(direction)).add(this.target);
    this.camera.near = this.radius / 100;
    this.camera.far = this.radius * 100;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.request();
  }

  // Turns by itself until stopTurning().
  startTurning() {
    let before = performance.now();
    this.turning = true;
    const step = (now) => {
      if (!this.turning) return;
      this.turn(kTurnSpeed * Math.min(now - before, 100) / 1000, 0);
      this.stepBack();
      before = now;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  stopTurning() { this.turning = false; }

  // As far as shows all of the object: from another side it may be longer.
  stepBack() {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const distance = this.distanceAlong(offset.clone().normalize());
    if (offset.length() < distance) this.camera.position.copy(this.controls.target).add(offset.setLength(distance));
  }

  turn(across, up) {
    const offset = this.camera.position.clone().sub(this.controls.target), spherical = new THREE.Spherical().setFromVector3(offset);
    spherical.theta += across;
    spherical.phi = Math.min(Math.max(spherical.phi + up, 0.01), Math.PI - 0.01);
    this.camera.position.copy(offset.setFromSpherical(spherical).add(this.controls.target));
    this.controls.update();
    this.request();
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.request();
  }

  // Whether it was a key of the 3D view.
  press(key) {
    const actions = { ArrowLeft: () => this.turn(-kTurnStep, 0), ArrowRight: () => this.turn(kTurnStep, 0),
      ArrowUp: () => this.turn(0, -kTurnStep), ArrowDown: () => this.turn(0, kTurnStep),
      "+": () => this.zoom(0.9), "=": () => this.zoom(0.9), "-": () => this.zoom(1.1) };
    if (!actions[key]) return false;
    actions[key]();
    return true;
  }

  show(state) {
    const coloured = state.distance && Boolean(this.data.truth);
    const colours = coloured ? THREE.VertexColors : THREE.NoColors;
    this.solid.flatShading = state.flat;
    this.solid.vertexColors = colours;
    if (coloured) this.solid.color.set(0xffffff);
    else this.solid.color.setRGB(0.40, 0.48, 0.60);
    this.solid.needsUpdate = true;
    this.surfaces.forEach((surface, i) => {
      const painted = Boolean(surface.painted) && state.colours && !state.flat && !coloured;
      surface.mesh.visible = i === state.surface && !painted;
      if (surface.painted) surface.painted.visible = i === state.surface && painted;
      surface.edges.visible = i === state.surface && state.wireframe;
      surface.crossing.visible = i === state.surface && state.intersections;
    });
    if (this.truth) {
      this.truth.visible = state.truth;
      this.truth.material.vertexColors = colours;
      this.truth.material.color.set(coloured ? 0xffffff : 0xd0691c);
      this.truth.material.needsUpdate = true;
    }
    this.request();
  }

  // Whether next to nothing is on the canvas.
  isBlank() {
    this.draw();
    const probe = document.createElement("canvas");
    probe.width = probe.height = 64;
    const context = probe.getContext("2d");
    context.drawImage(this.canvas, 0, 0, 64, 64);
    const pixels = context.getImageData(0, 0, 64, 64).data;
    let covered = 0;
    for (let i = 3; i < pixels.length; i += 4) covered += pixels[i] > 200 ? 1 : 0;
    return covered < 64 * 64 / 100;
  }
}
