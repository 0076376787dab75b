"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const kCheckDelay = 350;  // milliseconds after the last change
  const kNothing = { images: [], masks: [], cameraFiles: [], archive: null, rows: [], lengths: [], files: null };
  const state = { ...kNothing, mode: "angles" };
  let checking = null, making = null, waiting = 0;
  prepare();
  changed();
  document.body.dataset.ready = "true";

  function prepare() {
    byId("token-card").hidden = document.body.dataset.token !== "true";
    byId("token").value = sessionStorage.getItem("p2mpp-token") || "";
    byId("token").addEventListener("change", () => { sessionStorage.setItem("p2mpp-token", byId("token").value); changed(); });
    byId("files").addEventListener("change", () => take(byId("files")));
    byId("mask-files").addEventListener("change", () => { state.masks = imagesOf(byId("mask-files").files); changed(); });
    byId("choose-masks").addEventListener("keydown", (event) => { if (event.key === "Enter") byId("mask-files").click(); });
    prepareDrop();
    for (const button of byId("modes").children) button.addEventListener("click", () => { state.mode = button.dataset.mode; changed(); });
    for (const id of ["elevation", "fov", "clockwise"]) byId(id).addEventListener("input", changed);
    byId("fill").addEventListener("click", () => {
      const distance = state.rows.length ? state.rows[0][2] : kDefaultDistance;
      state.rows = equalRows(state.images.length, Number(byId("step").value), Number(byId("all-elevation").value), distance);
      changed();
    });
    byId("try").addEventListener("click", () => {
      Object.assign(state, kNothing, exampleFiles(byId("example").textContent), { mode: "angles" });
      say("");
      changed();
    });
    byId("clear").addEventListener("click", () => {
      Object.assign(state, kNothing);
      byId("viewer").hidden = true;
      byId("viewer").srcdoc = "";
      say("");
      changed();
    });
    const dialog = new LengthDialog(byId("length"), (words) => { state.lengths = [...state.lengths, words]; changed(); });
    byId("add-length").addEventListener("click", () => dialog.open(state.images));
    byId("make").addEventListener("click", make);
    byId("cancel").addEventListener("click", () => making && making.abort());
    byId("save").addEventListener("click", save);
    byId("report").addEventListener("click", openReport);
    byId("modes").querySelector("[data-mode=none]").hidden = document.body.dataset.findsCameras !== "true";
  }

  function prepareDrop() {
    const over = (event, is) => { event.preventDefault(); byId("drop").classList.toggle("over", is); };
    document.addEventListener("dragover", (event) => over(event, true));
    document.addEventListener("dragleave", (event) => over(event, false));
    document.addEventListener("drop", (event) => { over(event, false); take(event.dataTransfer); });
  }

  function imagesOf(files) { return [...files].filter((file) => kImageName.test(file.name)); }

  // Adds files that were dropped or chosen; one of a known name replaces it.
  async function take(source) {
    const files = [...source.files], names = new Set(files.map((file) => file.name));
    const archive = files.find((file) => kArchiveName.test(file.name));
    if (archive) return takeArchive(source, archive);
    state.archive = null;
    state.images = [...state.images.filter((file) => !names.has(file.name)), ...imagesOf(files)]
      .sort((a, b) => naturalOrder(a.name, b.name));
    const cameras = files.filter((file) => kCameraName.test(file.name));
    const unknown = files.find((file) => !kImageName.test(file.name) && !kCameraName.test(file.name));
    say(unknown ? `${unknown.name} is neither an image nor a camera file.` : "", Boolean(unknown));
    if (cameras.length) await readCameras(cameras);
    if (source.value) source.value = "";
    fitRows();
    changed();
  }

  // A whole capture, with its masks and cameras.
  function takeArchive(source, archive) {
    Object.assign(state, kNothing, { archive, mode: "file" });
    say("");
    if (source.value) source.value = "";
    changed();
  }

  // The files of one capture: COLMAP's are three.
  async function readCameras(files) {
    const rows = files.length === 1 && files[0].name === "cameras.txt" ? parseRows(await files[0].text()) : null;
    const isPart = (file) => /^(cameras|images|points3D)\.(txt|bin)$|^list\.txt$|\.out$/.test(file.name);
    const names = new Set(files.map((file) => file.name));
    const kept = files.every(isPart) ? state.cameraFiles.filter((file) => isPart(file) && !names.has(file.name)) : [];
    state.cameraFiles = [...kept, ...files];
    state.mode = rows ? "angles" : "file";
    if (rows) state.rows = rows;
  }

  // A row for each image.
  function fitRows() {
    const count = state.images.length;
    if (state.rows.length === count) return;
    if (!byId("step").value || state.rows.length !== 0) byId("step").value = count ? Math.round(360000 / count) / 1000 : "";
    state.rows = equalRows(count, Number(byId("step").value), kDefaultElevation, kDefaultDistance);
  }

  // An input has changed.
  function changed() {
    show();
    clearTimeout(waiting);
    if (isComplete() && state.mode !== "none") waiting = setTimeout(check, kCheckDelay);
    else showCheck(null);
  }

  function show() {
    for (const button of byId("modes").children) {
      button.setAttribute("aria-checked", String(button.dataset.mode === state.mode));
      byId("mode-" + button.dataset.mode).hidden = button.dataset.mode !== state.mode;
    }
    byId("mask-count").textContent = state.masks.length ? `${state.masks.length} masks` : "none";
    const given = state.archive ? [state.archive] : state.cameraFiles;
    byId("camera-file").textContent = given.map((file) => file.name).join(", ") || "Drop cameras.json, transforms.json, cameras.txt or another program's files above.";
    // A length in a photograph that has gone is no longer one.
    state.lengths = state.lengths.filter((words) => words.slice(0, 4).every((word) => state.images.some((file) => word.startsWith(file.name + ":"))));
    byId("lengths").textContent = state.lengths.map((words) => words[4]).join(", ");
    byId("add-length").disabled = state.images.length < 2;
    byId("clear").disabled = !state.images.length && !given.length;
    byId("make").disabled = Boolean(making) || !isComplete();
    byId("save").disabled = !(state.files && state.files.glb);
    byId("report").hidden = !(state.files && state.files.report);
    showThumbs();
    showRows();
  }

  function isComplete() {
    if (state.archive) return state.mode === "file" || state.mode === "turntable";
    if (state.mode === "none") return state.images.length >= kFewestPhotographs;
    return state.images.length >= 2 && (state.mode !== "file" || state.cameraFiles.length > 0);
  }

  function showThumbs() {
    const key = state.images.map((file) => file.name + file.size + file.lastModified).join("/");
    if (byId("thumbs").dataset.key === key) return;
    byId("thumbs").dataset.key = key;
    for (const image of byId("thumbs").children) URL.revokeObjectURL(image.src);
    byId("thumbs").replaceChildren(...state.images.map((file) => {
      const image = document.createElement("img");
      image.src = URL.createObjectURL(file);
      image.alt = image.title = file.name;
      return image;
    }));
  }

  function showRows() {
    if (byId("rows").contains(document.activeElement) && document.activeElement.tagName === "INPUT") return;  // it is being edited
    const table = document.createElement("table"), head = table.insertRow();
    for (const name of ["image", "azimuth", "elevation", "distance"]) {
      const cell = document.createElement("th");
      cell.textContent = name;
      head.append(cell);
    }
    state.rows.forEach((row, i) => {
      const line = table.insertRow();
      line.insertCell().textContent = state.images[i] ? state.images[i].name : "";
      row.forEach((value, column) => line.insertCell().append(numberField(i, column, value)));
    });
    byId("rows").replaceChildren(...(state.rows.length ? [table] : []));
  }

  function numberField(i, column, value) {
    const input = document.createElement("input");
    Object.assign(input, { type: "number", step: "any", value: Number(value.toFixed(3)) });
    input.setAttribute("aria-label", `${["azimuth", "elevation", "distance"][column]} of image ${i + 1}`);
    input.addEventListener("input", () => {
      if (input.value === "") return;
      state.rows[i][column] = Number(input.value);
      changed();
    });
    return input;
  }

  // The sample as the server takes it.
  function body() {
    const form = new FormData(), request = { id: byId("name").value.trim().replace(/\//g, "_") || "mesh" };
    for (const file of state.images) form.append("image", file, file.name);
    if (state.archive) {
      form.append("capture", state.archive, state.archive.name);
    } else if (state.mode === "angles") {
      form.append("cameras", new Blob([rowsText(state.rows)]), "cameras.txt");
    } else {
      for (const file of state.masks) form.append("mask", file, file.name);
      if (state.mode === "file") for (const file of state.cameraFiles) form.append("cameras", file, file.name);
    }
    if (state.mode === "turntable") {
      request.turntable = { elevation: Number(byId("elevation").value), clockwise: byId("clockwise").checked };
      if (byId("fov").value) request.turntable.fov = Number(byId("fov").value);
    }
    if (state.mode === "none" && state.lengths.length) request.known_distances = state.lengths;
    if (state.mode === "none" && byId("bar").value.trim()) request.printed_bar = byId("bar").value.replace(/\s/g, "");
    if (byId("surface").value) request.surface = byId("surface").value;
    if (byId("vertices").value) request.surface_vertices = Number(byId("vertices").value);
    form.append("request", JSON.stringify(request));
    return form;
  }

  async function ask(path, options = {}) {
    const token = byId("token").value;
    const response = await fetch(path, { ...options, headers: token ? { Authorization: "Bearer " + token } : {} });
    if (response.ok) return response;
    const text = await response.text();
    let answer = { reason: text };
    try {
      answer = JSON.parse(text);
    } catch (error) { /* not the server's own answer, but a proxy's */ }
    throw Object.assign(new Error(answer.reason || `the server answered ${response.status}`), { files: answer.files });
  }

  async function check() {
    if (checking) checking.abort();
    const own = checking = new AbortController();
    byId("verdict").textContent = "…";
    try {
      const found = await (await ask("/v1/check", { method: "POST", body: body(), signal: own.signal })).json();
      if (own === checking) showCheck(found);
    } catch (error) {
      if (own === checking && error.name !== "AbortError") showCheck({ views: [], warnings: [{ message: error.message }] });
    }
  }

  function showCheck(found) {
    const count = found ? found.warnings.length : 0;
    byId("check-note").hidden = Boolean(found);
    byId("verdict").textContent = !found ? "" : count ? `${count} ${count === 1 ? "thing looks" : "things look"} wrong` : "nothing looks wrong";
    byId("verdict").className = !found ? "muted" : count ? "bad" : "good";
    byId("views").replaceChildren(...(found ? found.views : []).map(checkedView));
    showNotes((found ? found.warnings : []).map((warning) => warning.message));
    byId("sheet").hidden = true;
    document.body.dataset.checked = String(Number(document.body.dataset.checked || 0) + (found ? 1 : 0));
  }

  function showNotes(lines) {
    byId("warnings").replaceChildren(...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }));
  }

  function checkedView(view) {
    const figure = document.createElement("figure"), image = document.createElement("img"), caption = document.createElement("figcaption");
    image.src = view.picture;
    image.alt = `${view.name} with the object's outline`;
    const share = view.unexplained === null ? "no outline" : `${Math.round(100 * view.unexplained)}% disagrees`;
    caption.textContent = `${view.name}: ${share}; azimuth ${view.azimuth.toFixed(0)}, elevation ${view.elevation.toFixed(0)}`;
    figure.append(image, caption);
    return figure;
  }

  // Where the sample is sent to. Photographs without cameras have a key, by which their progress is asked for.
  function address() {
    if (state.mode !== "none") return "/v1/meshes";
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return "/v1/photographs/" + key;
  }

  // The last line of the progress.
  async function progress(path) {
    try {
      const lines = (await (await ask(path)).json()).lines;
      return lines.length ? lines[lines.length - 1] : "sending, or waiting for other photographs";
    } catch (error) {
      return "sending";
    }
  }

  // Every half second.
  async function showProgress(path, begun) {
    const doing = path === "/v1/meshes" ? "computing" : await progress(path);
    if (making) say(`${doing}: ${Math.round((performance.now() - begun) / 1000)} s`);
  }

  // All photographs with their masks, where there are such pictures.
  async function showSheet(files = {}) {
    const path = files.masks || files.photographs;
    byId("sheet").hidden = !path;
    if (byId("sheet").src) URL.revokeObjectURL(byId("sheet").src);
    if (path) byId("sheet").src = URL.createObjectURL(await (await ask(path)).blob());
    byId("check-note").hidden = byId("check-note").hidden || Boolean(path);
  }

  async function make() {
    making = new AbortController();
    const begun = performance.now(), path = address();
    const tick = setInterval(showProgress, 500, path, begun);
    byId("cancel").hidden = false;
    say("computing …");
    show();
    try {
      const answer = await (await ask(path, { method: "POST", body: body(), signal: making.signal })).json();
      await showSheet(answer.files);
      const viewer = await (await ask(answer.files.view)).text();
      state.files = answer.files;
      byId("viewer").hidden = false;  // before it is filled, so that it has its size
      byId("viewer").srcdoc = viewer;
      byId("viewer").scrollIntoView({ block: "nearest" });
      making = null;
      say(`done in ${((performance.now() - begun) / 1000).toFixed(1)} s${surfaceOf(answer.result)}`);
      if (answer.result.notes) showNotes(answer.result.notes);
    } catch (error) {
      making = null;
      say(error.name === "AbortError" ? "cancelled" : error.message, error.name !== "AbortError");
      await showSheet(error.files).catch(() => {});
    }
    clearInterval(tick);
    byId("cancel").hidden = true;
    making = null;
    show();
  }

  // Which surface it has, if there was a choice.
  function surfaceOf(result) {
    if (result.sample) return surfaceOf(result.sample) + sizeOf(result.size);
    if (result.surface) return `: a volume of ${result.surface.resolution} voxels`;
    return result.no_volume ? `: a deformed ellipsoid (${result.no_volume})` : "";
  }

  function sizeOf(size) {
    return size && size.millimetres ? `; ${size.millimetres.map((each) => each.toFixed(1)).join(" x ")} mm` : "";
  }

  async function save() {
    try {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await (await ask(state.files.glb)).blob());
      link.download = (byId("name").value.trim() || "mesh").replace(/[^\w.-]+/g, "_") + ".glb";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch (error) {
      say(error.message, true);
    }
  }

  async function openReport() {
    try {
      open(URL.createObjectURL(await (await ask(state.files.report)).blob()));
    } catch (error) {
      say(error.message, true);
    }
  }

  function say(text, isBad = false) {
    byId("status").textContent = text;
    byId("status").className = isBad ? "bad" : "";
  }
})();
