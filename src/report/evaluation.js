"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const column = Object.fromEntries(data.columns.map((each, i) => [each.name, i]));
  const valuesOf = (name) => data.samples.map((row) => row[column[name]]).filter((value) => value !== null);

  function element(name, attributes, text) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }
  function svgElement(name, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }
  const number = (value, decimals) => value === null || value === undefined ? "–" : value.toFixed(decimals);
  const short = (value) => Number(value.toPrecision(3)).toString();
  function median(values) {
    const sorted = [...values].sort((a, b) => a - b), middle = sorted.length / 2;
    return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  // ---- headline numbers, settings
  byId("subtitle").textContent = data.subtitle;
  for (const figure of data.figures) {
    const card = element("div", { class: figure.bad ? "figure bad" : "figure" });
    card.append(element("div", { class: "value" }, figure.value), element("div", { class: "name" }, figure.name));
    byId("figures").append(card);
  }
  for (const name of ["settings", "environment"]) {
    for (const [key, value] of data[name]) byId(name).append(element("dt", {}, key), element("dd", {}, value));
  }
  byId("legend").textContent = data.legend;

  // ---- charts
  const kWidth = 520, kHeight = 190, kLeft = 52, kBottom = 26, kTop = 26;
  function chart(into, label) {
    const svg = svgElement("svg", { viewBox: "0 0 " + kWidth + " " + kHeight, role: "img", "aria-label": label });
    byId(into).append(svg);
    svg.append(svgElement("line", { class: "axis", x1: kLeft, y1: kHeight - kBottom, x2: kWidth - 6, y2: kHeight - kBottom }));
    return svg;
  }
  const xAt = (share) => kLeft + share * (kWidth - 8 - kLeft);
  const yAt = (share) => kHeight - kBottom - share * (kHeight - kBottom - kTop);
  function ticksBelow(svg, ticks) {
    for (const [share, text] of ticks) {
      svg.append(svgElement("text", { x: xAt(share), y: kHeight - kBottom + 17, "text-anchor": share < 1 ? "middle" : "end" }, text));
    }
  }
  function histogram(into, values, low, high, logarithmic, label) {
    const bins = 24, scale = (value) => logarithmic ? Math.log10(value) : value;
    const from = scale(low), to = scale(high), counts = new Array(bins).fill(0);
    const share = (value) => (scale(Math.min(Math.max(value, low), high)) - from) / (to - from || 1);
    for (const value of values) ++counts[Math.min(bins - 1, Math.floor(share(value) * bins))];
    const most = Math.max(1, ...counts), svg = chart(into, label);
    counts.forEach((count, i) => {
      const bar = svgElement("rect", { class: "bar", x: xAt(i / bins) + 1, width: xAt(1 / bins) - kLeft - 2, y: yAt(count / most),
        height: Math.max(0, yAt(0) - yAt(count / most)) });
      const at = (place) => short(logarithmic ? Math.pow(10, from + place * (to - from)) : from + place * (to - from));
      bar.append(svgElement("title", {}, at(i / bins) + " to " + at((i + 1) / bins) + ": " + count));
      svg.append(bar);
    });
    const middle = median(values), x = xAt(share(middle));
    svg.append(svgElement("line", { class: "mark", x1: x, x2: x, y1: kTop - 14, y2: yAt(0) }));
    const toRight = share(middle) < 0.7;
    svg.append(svgElement("text", { x: x + (toRight ? 5 : -5), y: kTop - 6, "text-anchor": toRight ? "start" : "end" }, "median " + short(middle)));
    svg.append(svgElement("text", { x: kLeft - 5, y: yAt(1) + 9, "text-anchor": "end" }, String(most)));
    const places = [0, 0.25, 0.5, 0.75, 1];
    ticksBelow(svg, places.map((place) => [place, short(logarithmic ? Math.pow(10, from + place * (to - from)) : from + place * (to - from))]));
  }
  const cd = valuesOf("cd").filter((value) => value > 0);
  if (cd.length > 0) {
    histogram("cd-chart", cd, Math.min(...cd), Math.max(...cd), true, "Histogram of the Chamfer distance x1000, logarithmic");
    byId("cd-chart").append(element("p", { class: "muted" }, "x1000, on the vertices; number of samples, logarithmic scale"));
  }
  const f1 = valuesOf("f1");
  if (f1.length > 0) {
    histogram("f1-chart", f1, 0, 100, false, "Histogram of F1 at tau");
    byId("f1-chart").append(element("p", { class: "muted" }, "per cent at tau, on the vertices; number of samples"));
  }
  byId("cd-card").hidden = cd.length === 0;
  byId("f1-card").hidden = f1.length === 0;

  function partsChart() {
    const parts = data.parts.filter((part) => part.p95 > 0);
    const most = Math.max(...parts.map((part) => part.p95), 1e-9), row = 22, label = 104;
    const height = row * parts.length + 24;
    const svg = svgElement("svg", { viewBox: "0 0 " + kWidth + " " + height, role: "img", "aria-label": "Milliseconds by part, median and 95th percentile" });
    const x = (value) => label + value / most * (kWidth - label - 130);
    parts.forEach((part, i) => {
      const y = i * row + 4;
      svg.append(svgElement("text", { x: label - 6, y: y + 11, "text-anchor": "end" }, part.name));
      svg.append(svgElement("rect", { class: "bar", x: label, y: y, width: Math.max(0.5, x(part.median) - label), height: row - 6 }));
      svg.append(svgElement("line", { class: "mark", x1: x(part.p95), x2: x(part.p95), y1: y, y2: y + row - 6 }));
      svg.append(svgElement("text", { x: x(part.p95) + 6, y: y + 11 }, short(part.median) + " / " + short(part.p95)));
    });
    byId("parts-chart").append(svg, element("p", { class: "muted" }, "milliseconds a sample: median (bar) and 95th percentile (dashed)"));
  }
  partsChart();

  function timeChart() {
    const times = data.samples.map((row) => row[column.total_ms]);
    const known = times.filter((value) => value !== null);
    if (known.length === 0) return;
    const sorted = [...known].sort((a, b) => a - b);
    // A few slow ones must not press all others flat.
    const most = Math.max(sorted[Math.floor(0.99 * (sorted.length - 1))] * 1.15, 1e-9), svg = chart("time-chart", "Milliseconds of each sample in the list's order");
    times.forEach((value, i) => {
      if (value === null) return;
      const dot = svgElement("circle", { class: "dot", cx: xAt((i + 0.5) / times.length), cy: yAt(Math.min(value / most, 1)), r: times.length > 300 ? 1.6 : 2.6 });
      dot.append(svgElement("title", {}, data.samples[i][column.id] + ": " + short(value) + " ms"));
      svg.append(dot);
    });
    const middle = median(known), y = yAt(Math.min(middle / most, 1));
    svg.append(svgElement("line", { class: "mark", x1: kLeft, x2: kWidth - 8, y1: y, y2: y }));
    for (const share of [0.5, 1]) svg.append(svgElement("text", { x: kLeft - 5, y: yAt(share) + 8, "text-anchor": "end" }, short(share * most)));
    ticksBelow(svg, [[0, "1"], [1, String(times.length)]]);
    byId("time-chart").append(element("p", { class: "muted" }, "milliseconds in all, in the list's order; dashed: median " + short(middle)));
  }
  timeChart();

  // ---- tables
  function fillTable(table, header, rows) {
    const head = element("tr");
    header.forEach((name, i) => head.append(element("th", i === 0 ? { class: "text", scope: "col" } : { scope: "col" }, name)));
    const thead = element("thead"), body = element("tbody");
    thead.append(head);
    for (const cells of rows) {
      const row = element("tr");
      cells.forEach((cell, i) => row.append(element("td", i === 0 ? { class: "text" } : {}, cell)));
      body.append(row);
    }
    table.append(thead, body);
  }
  byId("categories-card").hidden = data.categories.length === 0;
  if (data.categories.length > 0) fillTable(byId("categories"), data.categories[0], data.categories.slice(1));

  byId("failures-card").hidden = data.failures.length === 0;
  if (data.failures.length > 0) {
    fillTable(byId("failures"), ["id", "line", "status", "reason"], data.failures);
    byId("failures").querySelectorAll("tr").forEach((row) => [2, 3].forEach((i) => row.children[i].classList.add("text")));
    byId("failures").querySelectorAll("tbody tr").forEach((row) => row.children[3].classList.add("reason"));
  }

  // ---- pictures
  function linked(node, target) {
    const link = element("a", { href: target, title: "Open the 3D view" });
    link.append(node);
    return link;
  }
  byId("pictures-card").hidden = data.pictures.length === 0 && !data.pictures_note;
  byId("pictures-note").textContent = data.pictures_note;
  for (const group of data.pictures) {
    const row = element("div", { class: "pictures" });
    for (const sample of group.samples) {
      const card = element("div", { class: "picture" });
      let images = element("div", { class: "row" });
      for (const [name, source] of sample.images) {
        const figure = element("figure");
        figure.append(element("img", { src: source, alt: name + " of " + sample.id, width: 320, height: 320 }), element("figcaption", {}, name));
        images.append(figure);
      }
      const id = sample.view ? element("a", { href: encodeURIComponent(sample.view), title: "Open the 3D view" }, sample.id) : document.createTextNode(sample.id);
      const heading = element("div", { class: "id" });
      heading.append(id);
      if (sample.view) images = linked(images, encodeURIComponent(sample.view));
      card.append(images, heading, element("div", { class: "muted" }, sample.category + ": " + sample.caption));
      row.append(card);
    }
    byId("pictures").append(element("h3", {}, group.name), row);
  }

  // ---- samples
  const kRowsAtFirst = 200;  // a page of thousands of rows opens slowly
  const samples = { order: null, ascending: true, all: false };
  const head = byId("samples").querySelector("thead"), body = byId("samples").querySelector("tbody");
  const headRow = element("tr");
  data.columns.forEach((each, i) => {
    const cell = element("th", { scope: "col", "aria-sort": "none", class: each.decimals === null ? "text" : "" });
    const button = element("button", { type: "button" }, each.title);
    button.addEventListener("click", () => {
      samples.ascending = samples.order === i ? !samples.ascending : true;
      samples.order = i;
      showSamples();
    });
    cell.append(button);
    headRow.append(cell);
  });
  head.append(headRow);
  function options(select, name) {
    select.append(element("option", { value: "" }, "all"));
    for (const value of [...new Set(data.samples.map((row) => row[column[name]]))].sort()) select.append(element("option", { value: value }, value));
    select.addEventListener("change", showSamples);
  }
  options(byId("category"), "category");
  options(byId("status"), "status");
  byId("search").addEventListener("input", showSamples);
  byId("more").addEventListener("click", () => {
    samples.all = true;
    showSamples();
  });
  function compare(a, b) {
    if (a === b) return 0;
    if (a === null) return 1;  // what is unknown comes last either way
    if (b === null) return -1;
    const less = a < b ? -1 : 1;
    return samples.ascending ? less : -less;
  }
  function showSamples() {
    const text = byId("search").value.trim().toLowerCase(), category = byId("category").value, status = byId("status").value;
    let rows = data.samples.filter((row) => row[column.id].toLowerCase().includes(text) &&
      (!category || row[column.category] === category) && (!status || row[column.status] === status));
    if (samples.order !== null) rows = [...rows].sort((a, b) => compare(a[samples.order], b[samples.order]));
    headRow.querySelectorAll("th").forEach((cell, i) => cell.setAttribute("aria-sort", i !== samples.order ? "none" : samples.ascending ? "ascending" : "descending"));
    const lines = document.createDocumentFragment();
    for (const values of samples.all ? rows : rows.slice(0, kRowsAtFirst)) {
      const row = element("tr");
      data.columns.forEach((each, i) => {
        const cell = element("td", each.decimals === null ? { class: "text" } : {}, each.decimals === null ? values[i] : number(values[i], each.decimals));
        if (each.name === "status" && values[i] !== "done") cell.classList.add("failed");
        row.append(cell);
      });
      lines.append(row);
    }
    body.replaceChildren(lines);
    byId("matches").textContent = rows.length + " of " + data.samples.length;
    byId("more").hidden = samples.all || rows.length <= kRowsAtFirst;
    byId("more").textContent = "Show all " + rows.length;
  }
  showSamples();
  document.body.dataset.ready = "true";
})();
