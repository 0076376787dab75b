"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const state = { surface: data.surfaces.length - 1, wireframe: false, flat: false, truth: false, distance: false, overlay: false };
  const kFieldOfView = 30;  // degrees

  // ---- data
  function bytesOf(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes.buffer;
  }
  const floats = (text) => new Float32Array(bytesOf(text));
  const indices = (text) => new Uint32Array(bytesOf(text));

  // From near to far: blue, green, yellow, red. Linear values for the shader, sRGB for the legend.
  const kRamp = [[0.0, 59, 90, 170], [0.33, 64, 160, 110], [0.66, 240, 200, 70], [1.0, 200, 40, 40]];
  function rampColour(share) {
    const x = Math.min(Math.max(share, 0), 1);
    let i = 1;
    while (i < kRamp.length - 1 && x > kRamp[i][0]) ++i;
    const [a, b] = [kRamp[i - 1], kRamp[i]];
    const t = (x - a[0]) / (b[0] - a[0]);
    return [1, 2, 3].map((channel) => a[channel] + t * (b[channel] - a[channel]));
  }
  function distanceColours(distances) {
    const colours = new Float32Array(3 * distances.length);
    distances.forEach((distance, i) => {
      rampColour(distance / data.largest_distance).forEach((value, channel) => {
        colours[3 * i + channel] = Math.pow(value / 255, 2.2);
      });
    });
    return colours;
  }

  // ---- facts and input views
  byId("subtitle").textContent = data.subtitle;
  for (const [name, value] of data.facts) {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    byId("facts").append(dt, dd);
  }
  const viewImages = data.views.map((view, i) => {
    const button = document.createElement("button"), image = document.createElement("img"), caption = document.createElement("span");
    image.src = view.image;
    image.alt = "input view " + (i + 1);
    caption.className = "caption";
    caption.textContent = view.caption;
    button.append(image, caption);
    button.title = "Look as this camera did";
    button.addEventListener("click", () => look(view.position));
    byId("views").append(button);
    return image;
  });
  if (data.views.length === 0) byId("views-card").hidden = true;
  const hasOverlays = data.views.some((view) => view.overlay);
  byId("overlay-note").hidden = !hasOverlays;

  // ---- scene
  const canvas = byId("canvas");
  let renderer = null;
  try {
    renderer = new THREE.WebGLRenderer({ canvas: canvas, antialias: true, alpha: true });
  } catch (error) {
    byId("message").hidden = false;
    byId("message").textContent = "This browser shows no 3D here: WebGL is missing or switched off.";
    document.body.dataset.ready = "without-webgl";
  }
  let look = () => {};
  let refresh = () => {};
  if (renderer) start();

  function start() {
    renderer.gammaOutput = true;
    renderer.gammaFactor = 2.2;
    renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    const scene = new THREE.Scene();
    const camera = new THREE.PerspectiveCamera(kFieldOfView, 1, 0.01, 100);
    const controls = new THREE.OrbitControls(camera, canvas);
    controls.enableKeys = false;  // arrow keys turn instead

    const solid = new THREE.MeshStandardMaterial({ side: THREE.DoubleSide, roughness: 0.75, metalness: 0, polygonOffset: true,
      polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const wire = new THREE.MeshBasicMaterial({ color: 0x101820, wireframe: true, transparent: true, opacity: 0.55 });
    const plain = new THREE.Color(0.40, 0.48, 0.60), white = new THREE.Color(1, 1, 1);

    const surfaces = data.surfaces.map((surface) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(floats(surface.vertices), 3));
      geometry.setAttribute("normal", new THREE.BufferAttribute(floats(surface.normals), 3));
      geometry.setIndex(new THREE.BufferAttribute(indices(surface.triangles), 1));
      if (surface.distances) geometry.setAttribute("color", new THREE.BufferAttribute(distanceColours(floats(surface.distances)), 3));
      const mesh = new THREE.Mesh(geometry, solid), edges = new THREE.Mesh(geometry, wire);
      scene.add(mesh, edges);
      return { mesh: mesh, edges: edges, triangles: geometry.index.count / 3, vertices: geometry.attributes.position.count };
    });

    let truth = null;
    const finest = surfaces[surfaces.length - 1].mesh.geometry;
    finest.computeBoundingBox();
    const last = finest.boundingBox;
    const target = last.getCenter(new THREE.Vector3());
    const radius = Math.max(last.getSize(new THREE.Vector3()).length() / 2, 1e-6);
    if (data.truth) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(floats(data.truth.points), 3));
      geometry.setAttribute("color", new THREE.BufferAttribute(distanceColours(floats(data.truth.distances)), 3));
      truth = new THREE.Points(geometry, new THREE.PointsMaterial({ size: radius * 0.018, sizeAttenuation: true }));
      scene.add(truth);
    }

    // Lights go with the camera: the visible side is always lit.
    const key = new THREE.DirectionalLight(0xffffff, 0.85), fill = new THREE.DirectionalLight(0xffffff, 0.18);
    key.position.set(-0.55, 0.75, 0.6);
    fill.position.set(0.8, 0.1, 0.55);
    camera.add(key, fill, key.target, fill.target);
    key.target.position.set(0, 0, 0);
    scene.add(camera, new THREE.HemisphereLight(0xffffff, 0x707070, 0.4));
    if (data.upright) {
      const grid = new THREE.GridHelper(4 * radius, 16, 0xb4bec8, 0xd2d9e0);
      grid.position.set(target.x, last.min.y - 0.002 * radius, target.z);
      scene.add(grid);
    }

    const draw = () => {
      renderer.render(scene, camera);
      document.body.dataset.frames = String(Number(document.body.dataset.frames || 0) + 1);
    };
    let waiting = false;
    const request = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; draw(); });
    };

    // As near along a direction as shows every vertex.
    const distanceAlong = (direction) => {
      const half = Math.tan(THREE.Math.degToRad(kFieldOfView / 2)) * 0.86;
      const across = new THREE.Vector3(direction.z, 0, -direction.x).normalize(), up = direction.clone().cross(across);
      const positions = finest.attributes.position, step = Math.max(1, Math.floor(positions.count / 50000)), point = new THREE.Vector3();
      let distance = radius / 100;
      for (let i = 0; i < positions.count; i += step) {
        point.fromBufferAttribute(positions, i).sub(target);
        const side = Math.max(Math.abs(point.dot(across)) / camera.aspect, Math.abs(point.dot(up))) / half;
        distance = Math.max(distance, point.dot(direction) + side);
      }
      return distance;
    };
    // From a direction, as near as shows all of the object.
    look = (position) => {
      const direction = new THREE.Vector3().fromArray(position).normalize();
      controls.target.copy(target);
      camera.position.copy(direction).multiplyScalar(distanceAlong(direction)).add(target);
      camera.near = radius / 100;
      camera.far = radius * 100;
      camera.updateProjectionMatrix();
      controls.update();
      request();
    };
    const turn = (across, up) => {
      const offset = camera.position.clone().sub(controls.target), spherical = new THREE.Spherical().setFromVector3(offset);
      spherical.theta += across;
      spherical.phi = Math.min(Math.max(spherical.phi + up, 0.01), Math.PI - 0.01);
      camera.position.copy(offset.setFromSpherical(spherical).add(controls.target));
      controls.update();
      request();
    };
    const zoom = (factor) => {
      camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
      controls.update();
      request();
    };
    const reset = () => look(data.start);

    refresh = () => {
      const coloured = state.distance && Boolean(data.truth);
      solid.flatShading = state.flat;
      solid.vertexColors = coloured ? THREE.VertexColors : THREE.NoColors;
      solid.color.copy(coloured ? white : plain);
      solid.needsUpdate = true;
      surfaces.forEach((surface, i) => {
        surface.mesh.visible = i === state.surface;
        surface.edges.visible = i === state.surface && state.wireframe;
      });
      if (truth) {
        truth.visible = state.truth;
        truth.material.vertexColors = coloured ? THREE.VertexColors : THREE.NoColors;
        truth.material.color.set(coloured ? 0xffffff : 0xd0691c);
        truth.material.needsUpdate = true;
      }
      byId("legend").hidden = !coloured;
      const shown = surfaces[state.surface];
      byId("count").textContent = shown.vertices.toLocaleString("en") + " vertices, " + shown.triangles.toLocaleString("en") + " triangles";
      request();
    };

    controls.addEventListener("change", request);
    const resize = () => {
      const stage = byId("stage");
      renderer.setSize(stage.clientWidth, stage.clientHeight, false);
      camera.aspect = stage.clientWidth / Math.max(stage.clientHeight, 1);
      camera.updateProjectionMatrix();
      draw();
    };
    window.addEventListener("resize", resize);
    canvas.addEventListener("keydown", (event) => {
      const step = 0.12;
      const actions = { ArrowLeft: () => turn(-step, 0), ArrowRight: () => turn(step, 0), ArrowUp: () => turn(0, -step),
        ArrowDown: () => turn(0, step), "+": () => zoom(0.9), "=": () => zoom(0.9), "-": () => zoom(1.1) };
      if (!actions[event.key]) return;
      actions[event.key]();
      event.preventDefault();
    });
    byId("reset").addEventListener("click", reset);
    resize();
    reset();
    refresh();
    draw();
    // What the automated checks look at.
    window.viewer = { state: state, position: () => camera.position.toArray(), isBlank: () => {
      draw();
      const probe = document.createElement("canvas");
      probe.width = probe.height = 64;
      const context = probe.getContext("2d");
      context.drawImage(canvas, 0, 0, 64, 64);
      const pixels = context.getImageData(0, 0, 64, 64).data;
      let covered = 0;
      for (let i = 3; i < pixels.length; i += 4) covered += pixels[i] > 200 ? 1 : 0;
      return covered < 64 * 64 / 100;
    } };
    document.body.dataset.ready = "true";
  }

  // ---- controls
  const surfaceButtons = data.surfaces.map((surface, i) => {
    const button = document.createElement("button");
    button.textContent = surface.name;
    button.setAttribute("role", "radio");
    button.title = String(i + 1);
    button.addEventListener("click", () => { state.surface = i; update(); });
    byId("surfaces").append(button);
    return button;
  });
  function toggle(name) {
    if (byId(name).disabled) return;
    state[name] = !state[name];
    update();
  }
  for (const name of ["wireframe", "flat", "truth", "distance", "overlay"]) byId(name).addEventListener("click", () => toggle(name));
  if (!data.truth) {
    for (const name of ["truth", "distance"]) {
      byId(name).disabled = true;
      byId(name).title = "No ground truth was given";
    }
  } else {
    byId("legend-end").textContent = data.largest_distance.toPrecision(2);
    const stops = kRamp.map((stop) => "rgb(" + stop.slice(1).join(",") + ") " + 100 * stop[0] + "%");
    document.querySelector("#legend .ramp").style.background = "linear-gradient(90deg," + stops.join(",") + ")";
  }
  function update() {
    surfaceButtons.forEach((button, i) => button.setAttribute("aria-checked", String(i === state.surface)));
    for (const name of ["wireframe", "flat", "truth", "distance", "overlay"]) byId(name).setAttribute("aria-pressed", String(state[name]));
    viewImages.forEach((image, i) => { image.src = state.overlay && data.views[i].overlay ? data.views[i].overlay : data.views[i].image; });
    refresh();
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const names = { w: "wireframe", f: "flat", t: "truth", d: "distance", o: "overlay" };
    const key = event.key.toLowerCase();
    if (names[key]) toggle(names[key]);
    else if (key === "r") byId("reset").click();
    else if (Number(key) >= 1 && Number(key) <= data.surfaces.length) { state.surface = Number(key) - 1; update(); }
  });
  update();
})();
