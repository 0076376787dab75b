"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const kToggles = { colours: "c", wireframe: "w", flat: "f", truth: "t", distance: "d", overlay: "o",
    intersections: "x" };  // and their keys
  const hasColours = data.surfaces.some((surface) => surface.texture || surface.colours);
  const state = { surface: data.surfaces.length - 1, colours: hasColours, wireframe: false, flat: false, truth: false, distance: false, overlay: false,
    intersections: false };
  const scene = openScene();
  showFacts();
  const images = data.views.map(addView);
  const surfaceButtons = data.surfaces.map(addSurfaceButton);
  prepareControls();
  update();
  if (scene) startScene();
  document.body.dataset.ready = scene ? "true" : "without-webgl";

  // Nothing where the browser has no WebGL: the rest of the page works without.
  function openScene() {
    try {
      return new Scene3d(byId("canvas"), data);
    } catch (error) {
      byId("message").hidden = false;
      byId("message").textContent = "This browser shows no 3D here: WebGL is missing or switched off.";
      return null;
    }
  }

  function startScene() {
    scene.resize();
    scene.look(data.start);
    if (data.source_scale) {
      showSize();
      scene.afterDraw = showScale;
    }
    scene.draw();
    window.addEventListener("resize", () => scene.resize());
    if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
      scene.startTurning();
      for (const kind of ["pointerdown", "wheel", "keydown"]) {
        document.addEventListener(kind, () => scene.stopTurning(), { capture: true, passive: true });
      }
    }
    byId("canvas").addEventListener("keydown", (event) => {
      if (scene.press(event.key)) event.preventDefault();
    });
    // What the automated checks look at.
    window.viewer = { isTurning: () => Boolean(scene.turning), scene: scene, position: () => scene.camera.position.toArray(), isBlank: () => scene.isBlank() };
  }

  // A bar of a round length in the source's units, as long as it is at the middle of the object.
  function showScale() {
    const pixels = scene.pixelsPerUnit() / data.source_scale, power = Math.pow(10, Math.floor(Math.log10(140 / pixels)));
    const length = [5, 2, 1].map((digit) => digit * power).find((each) => each * pixels <= 140) || power;
    document.querySelector("#scale .bar").style.width = length * pixels + "px";
    const text = length >= 1e5 || length < 1e-4 ? length.toExponential() : String(Number(length.toPrecision(1)));
    document.querySelector("#scale span").textContent = text + (length === 1 ? " unit" : " units") + " of the cameras";
    byId("scale").hidden = false;
  }

  function showSize() {
    const size = scene.size().map((side) => (side * data.source_scale).toPrecision(3));
    addFact("size", size.join(" x ") + " units of the cameras (width, height, depth)");
  }

  function look(position) {
    if (scene) scene.look(position);
  }

  function addFact(name, value) {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    byId("facts").append(dt, dd);
  }

  function showFacts() {
    byId("subtitle").textContent = data.subtitle;
    for (const [name, value] of data.facts) addFact(name, value);
  }

  function addView(view, i) {
    const button = document.createElement("button"), image = document.createElement("img"), caption = document.createElement("span");
    image.alt = "input view " + (i + 1);
    caption.className = "caption";
    caption.textContent = view.caption;
    button.append(image, caption);
    button.title = "Look as this camera did";
    button.addEventListener("click", () => look(view.position));
    byId("views").append(button);
    return image;
  }

  function addSurfaceButton(surface, i) {
    const button = document.createElement("button");
    button.textContent = surface.name;
    button.setAttribute("role", "radio");
    button.title = String(i + 1);
    button.addEventListener("click", () => showSurface(i));
    byId("surfaces").append(button);
    return button;
  }

  function prepareControls() {
    byId("views-card").hidden = data.views.length === 0;
    byId("overlay-note").hidden = !data.views.some((view) => view.overlay);
    for (const name of Object.keys(kToggles)) byId(name).addEventListener("click", () => toggle(name));
    byId("reset").addEventListener("click", () => look(data.start));
    byId("save").addEventListener("click", save);
    byId("save").disabled = byId("intersections").disabled = !scene;
    byId("colours").hidden = byId("colours").disabled = !hasColours;
    document.addEventListener("keydown", press);
    if (data.truth) {
      byId("legend-end").textContent = data.largest_distance.toPrecision(2);
      const stops = kRamp.map((stop) => "rgb(" + stop.slice(1).join(",") + ") " + 100 * stop[0] + "%");
      document.querySelector("#legend .ramp").style.background = "linear-gradient(90deg," + stops.join(",") + ")";
      return;
    }
    for (const name of ["truth", "distance"]) {
      byId(name).disabled = true;
      byId(name).title = "No ground truth was given";
    }
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const name = Object.keys(kToggles).find((each) => kToggles[each] === key);
    if (name) toggle(name);
    else if (key === "r") look(data.start);
    else if (key === "s") save();
    else if (Number(key) >= 1 && Number(key) <= data.surfaces.length) showSurface(Number(key) - 1);
  }

  function toggle(name) {
    if (byId(name).disabled) return;
    state[name] = !state[name];
    update();
  }

  function save() {
    if (!scene) return;
    const name = document.title + (state.surface + 1 < data.surfaces.length ? "_" + data.surfaces[state.surface].name : "");
    const file = name.replace(/[^\w.-]+/g, "_") + ".glb";
    const shown = scene.surfaces[state.surface], texture = data.surfaces[state.surface].texture;
    download(glbOf(texture ? shown.painted.geometry : shown.mesh.geometry, name, texture), file, "model/gltf-binary");
  }

  function showSurface(i) {
    state.surface = i;
    update();
  }

  function update() {
    surfaceButtons.forEach((button, i) => button.setAttribute("aria-checked", String(i === state.surface)));
    for (const name of Object.keys(kToggles)) byId(name).setAttribute("aria-pressed", String(state[name]));
    images.forEach((image, i) => { image.src = state.overlay && data.views[i].overlay ? data.views[i].overlay : data.views[i].image; });
    byId("legend").hidden = !state.distance;
    if (!scene) return;
    const shown = scene.surfaces[state.surface];
    const count = (value) => value.toLocaleString("en");
    byId("count").textContent = count(shown.vertices) + " vertices, " + count(shown.triangles) + " triangles" +
      (shown.intersecting ? ", " + (shown.moreIntersect ? "at least " : "") + count(shown.intersecting) + " of them intersect others" : "");
    scene.show(state);
  }
})();
