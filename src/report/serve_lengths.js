"use strict";

// A length that the user knows: its two ends, each clicked in two photographs. The words are those of
// p2mpp-photos --known-distance.
const kLength = /^\d+(\.\d+)?\s*(mm|cm|m|in)$/;

class LengthDialog {
  // done(words): a list of five.
  constructor(dialog, done) {
    this.dialog = dialog;
    this.done = done;
    this.find("picture").addEventListener("click", (event) => this.click(event));
    this.find("choice").addEventListener("change", () => this.choose());
    this.find("value").addEventListener("input", () => this.show());
    this.find("use").addEventListener("click", () => this.use());
    this.find("close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => URL.revokeObjectURL(this.find("picture").src));
  }

  find(part) { return this.dialog.querySelector(`[data-part=${part}]`); }

  open(images) {
    this.images = images;
    this.clicks = new Map();  // of an image's number: up to two places in its pixels
    this.find("choice").replaceChildren(...images.map((file, i) => new Option(file.name, i)));
    this.find("value").value = "";
    this.dialog.showModal();
    this.choose();
  }

  choose() {
    const picture = this.find("picture");
    URL.revokeObjectURL(picture.src);
    this.broken = false;
    picture.onload = () => this.show();
    picture.onerror = () => { this.broken = true; this.show(); };
    picture.src = URL.createObjectURL(this.images[this.chosen()]);
    this.show();
  }

  chosen() { return Number(this.find("choice").value); }

  // The two photographs that have both ends; a third one takes the place of the first.
  complete() { return [...this.clicks].filter(([, places]) => places.length === 2).slice(-2); }

  click(event) {
    const picture = this.find("picture"), box = picture.getBoundingClientRect();
    const place = [(event.clientX - box.left) / box.width * picture.naturalWidth, (event.clientY - box.top) / box.height * picture.naturalHeight];
    const before = this.clicks.get(this.chosen()) || [];
    this.clicks.delete(this.chosen());  // the last one that was clicked is the last of all
    this.clicks.set(this.chosen(), before.length < 2 ? [...before, place] : [place]);
    this.show();
  }

  show() {
    const places = this.clicks.get(this.chosen()) || [], complete = this.complete().length;
    const marks = places.map(([x, y], i) => {
      const mark = document.createElement("span");
      mark.textContent = i + 1;
      mark.style.left = `${100 * x / this.find("picture").naturalWidth}%`;
      mark.style.top = `${100 * y / this.find("picture").naturalHeight}%`;
      return mark;
    });
    this.find("marks").replaceChildren(...marks);
    const isLength = kLength.test(this.find("value").value.trim());
    this.find("use").disabled = complete < 2 || !isLength;
    this.find("says").textContent = this.broken ? "This browser cannot show this photograph: choose another one."
      : places.length < 2 ? `Click end ${places.length + 1} of the length.`
      : complete < 2 ? "Choose a second photograph, which looks from another side, and click the same two ends."
      : isLength ? "" : "Give the length, such as 120mm.";
  }

  use() {
    const [[a, ofA], [b, ofB]] = this.complete();
    const word = (image, [x, y]) => `${this.images[image].name}:${x.toFixed(1)},${y.toFixed(1)}`;
    this.done([word(a, ofA[0]), word(b, ofB[0]), word(a, ofA[1]), word(b, ofB[1]), this.find("value").value.replace(/\s/g, "")]);
    this.dialog.close();
  }
}
