// An answer with its passages, and the page that a passage stands on beside them.
// What documents say comes as HTML that khub.dashboard.parts.document_html made, or goes through textContent.

const NARROW = 760;
const LEAST = 6; // letters that follow one another, where the evidence is not there as a whole
const ZOOMS = [1, 1.4, 1.9, 2.6];
const readers = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".reader");
  if (!readers.has(root)) readers.set(root, new Reader(root));
  readers.get(root).show(data, setStateValue, setTriggerValue);
}

class Reader {
  constructor(root) {
    this.root = root;
    this.zoom = 0;
    this.unfolded = new Set();
    root.innerHTML = `
      <section class="words"><div class="lead"></div><div class="notes"></div><p class="facts"></p>
        <div class="ways"></div><ol class="passages"></ol></section>
      <aside class="sheet"><header><strong></strong><span class="turn"></span></header><div class="paper" tabindex="0"></div></aside>`;
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  get(selector) {
    return this.root.querySelector(selector);
  }

  show(data, setState, setTrigger) {
    const another = this.data?.turn !== data.turn;
    Object.assign(this, { data, setState, setTrigger, t: data.words });
    if (another) {
      this.active = data.shown || data.passages[0]?.number;
      this.unfolded.clear();
      this.drawn = "";
    }
    if (!data.passages.some((one) => one.number === this.active)) this.active = data.passages[0]?.number;
    const words = JSON.stringify({ ...data, sheet: null });
    if (words !== this.drawn) this.drawWords();
    this.drawn = words;
    this.drawSheet();
    if (!data.sheet && this.active) this.choose(this.active, false);
  }

  drawWords() {
    const { data } = this;
    this.get(".lead").innerHTML = data.lead;
    marksToButtons(this.get(".lead"), (number) => this.choose(number), this.t, data.passages);
    this.get(".notes").replaceChildren(...data.notes.map(([kind, text]) => element("p", { className: kind }, text)));
    this.get(".facts").textContent = data.facts;
    this.get(".ways").replaceChildren(...this.ways());
    this.get(".passages").replaceChildren(...data.passages.map((passage) => this.card(passage)));
    this.get(".sheet").hidden = !data.passages.length && !data.sheet;
    this.fold();
  }

  ways() {
    const { data, t } = this;
    const ways = data.links.map((link) => button(link.label, () => this.setTrigger("opened", link)));
    if (!data.markdown) return ways;
    const save = element("a", { download: "answer.md", href: URL.createObjectURL(new Blob([data.markdown])) }, t.save);
    return [copying(t.copy, t.copied, () => data.markdown), save, copying(t.link, t.copied, () => location.href), ...ways];
  }

  card(passage) {
    const { t } = this;
    const name = button(`${passage.number}`, () => this.choose(passage.number), { className: "number" });
    name.setAttribute("aria-label", `${t.passage} ${passage.number}: ${t.page}`);
    const title = button(passage.title, () => this.choose(passage.number), { className: "title" });
    const text = element("div", { className: "text" });
    text.innerHTML = passage.html;
    mark(text, passage.evidence);
    for (const table of text.querySelectorAll("table")) table.tabIndex = -1;
    const feet = [button(t.more, () => this.unfold(passage.number), { className: "more" })];
    const opens = passage.address ? [iconic("↗", t.open, () => this.open(passage))] : []; // of those whose feet are hidden
    if (this.data.judges) {
      feet.push(button(t.why, () => this.askWhy(passage.number), { className: "why" }), button(t.open, () => this.open(passage)));
      for (const [label, right] of [[t.right, true], [t.wrong, false]]) {
        const said = button(label, () => this.setTrigger("judged", { chunk_id: passage.chunk_id, number: passage.number, right }));
        said.setAttribute("aria-pressed", String(passage.right === right));
        feet.push(said);
      }
    }
    const card = element("li", { className: "passage" },
      element("h3", {}, name, title, ...opens), element("p", { className: "where" }, passage.where), text,
      element("div", { className: "feet" }, ...feet));
    if (passage.right !== null) card.append(element("p", { className: "where" }, t.noted));
    if (passage.why) card.append(whyTable(passage.why));
    card.dataset.number = passage.number;
    return card;
  }

  // Passages are cut to some lines around what answers; the chosen one to more of them.
  fold() {
    for (const card of this.root.querySelectorAll(".passage")) {
      const number = Number(card.dataset.number), text = card.querySelector(".text");
      card.classList.toggle("active", number === this.active);
      card.classList.toggle("whole", this.unfolded.has(number));
      const more = card.querySelector(".more");
      more.textContent = this.unfolded.has(number) ? this.t.less : this.t.more;
      more.hidden = !this.unfolded.has(number) && text.scrollHeight <= text.clientHeight + 2;
      text.tabIndex = text.scrollHeight > text.clientHeight ? 0 : -1;
      text.style.maxHeight = "";
      toMark(text, text.querySelector("mark"), text.querySelector("thead")?.offsetHeight ?? 0);
      if (!this.unfolded.has(number)) toWholeLines(text);
    }
  }

  choose(number, goes = true) {
    const passage = this.data.passages.find((one) => one.number === number);
    if (!passage) return;
    this.active = number;
    this.fold();
    this.turnTo(number, passage.page);
    if (!goes) return;
    const card = this.get(`.passage[data-number="${number}"]`);
    if (this.root.clientWidth < NARROW) this.get(".sheet").scrollIntoView({ block: "nearest" });
    else card.scrollIntoView({ block: "nearest" });
  }

  turnTo(number, page) {
    if (this.wanted?.number === number && this.wanted.page === page && this.data.sheet) return;
    this.wanted = { number, page };
    this.get(".paper").classList.add("waits");
    this.setState("shown", this.wanted);
  }

  unfold(number) {
    if (!this.unfolded.delete(number)) this.unfolded.add(number);
    this.fold();
  }

  askWhy(number) {
    const open = new Set(this.data.passages.filter((one) => one.why).map((one) => one.number));
    if (!open.delete(number)) open.add(number);
    this.setState("unfolded", [...open]);
  }

  open({ address }) {
    if (address) this.setTrigger("opened", { to: "documents", address });
  }

  drawSheet() {
    const { sheet } = this.data, paper = this.get(".paper"), turn = this.get(".turn");
    if (!sheet) {
      if (this.data.passages.length) paper.replaceChildren(element("p", { className: "where" }, this.t.drawing));
      return;
    }
    const same = this.sheet?.image === sheet.image && JSON.stringify(this.sheet) === JSON.stringify(sheet);
    paper.classList.remove("waits");
    if (same && paper.childElementCount) return;
    this.sheet = sheet;
    this.get(".sheet strong").textContent = sheet.title;
    const back = iconic("↑", this.t.back, () => this.get(".passage.active").scrollIntoView({ block: "center" }));
    back.classList.add("back");
    turn.replaceChildren(...(sheet.pages || sheet.page ? this.turning(sheet) : [this.t.text]), back);
    paper.replaceChildren();
    if (sheet.note) paper.append(element("p", { className: "warning" }, sheet.note));
    if (sheet.image) this.drawImage(sheet, paper);
    else this.drawText(sheet, paper);
  }

  turning(sheet) {
    const place = sheet.pages ? `${sheet.page} / ${sheet.pages}` : `${sheet.page}`;
    if (!sheet.image) return [place];
    const to = (page) => () => this.turnTo(this.active, page);
    const zoom = (by) => () => { this.zoom = Math.min(Math.max(this.zoom + by, 0), ZOOMS.length - 1); this.resize(); };
    return [
      iconic("‹", this.t.previous, to(sheet.page - 1), sheet.page <= 1), element("span", {}, place),
      iconic("›", this.t.next, to(sheet.page + 1), sheet.page >= sheet.pages),
      iconic("−", this.t.smaller, zoom(-1)), iconic("+", this.t.larger, zoom(1)),
    ];
  }

  drawImage(sheet, paper) {
    const image = element("img", { src: sheet.image, alt: `${sheet.title}, ${this.t.page} ${sheet.page}` });
    const leaf = element("div", { className: "leaf" }, image);
    leaf.style.aspectRatio = String(1 / sheet.ratio);
    for (const [kind, boxes] of [["own", sheet.passage], ["evidence", sheet.evidence]])
      for (const [left, top, width, height] of boxes) {
        const place = element("div", { className: kind });
        Object.assign(place.style, { left: share(left), top: share(top), width: share(width), height: share(height) });
        leaf.append(place);
      }
    for (const { number, box: [left, top, width, height] } of sheet.places) {
      const place = button(`${number}`, () => this.choose(number), { className: "place" });
      Object.assign(place.style, { left: share(left), top: share(top), width: share(width), height: share(height) });
      leaf.append(place);
    }
    paper.append(leaf);
    this.resize();
  }

  resize() {
    const leaf = this.get(".leaf");
    if (!leaf) return;
    leaf.style.width = share(ZOOMS[this.zoom]);
    toMark(this.get(".paper"), leaf.querySelector(".evidence") ?? leaf.querySelector(".own"), 0);
  }

  drawText(sheet, paper) {
    for (const part of sheet.parts) {
      const block = element("div", { className: part.own ? "text own" : "text" });
      block.innerHTML = part.html;
      paper.append(block);
      const passage = this.data.passages.find((one) => one.number === this.active);
      if (part.own && passage) mark(block, passage.evidence);
    }
    toMark(paper, paper.querySelector("mark") ?? paper.querySelector(".own"), 0);
  }

  key(event) {
    if (!this.root.isConnected) return document.removeEventListener("keydown", this.keys);
    const at = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest?.("input, textarea, select, [contenteditable=true], [role=dialog]")) return;
    const numbers = this.data.passages.map((one) => one.number), place = numbers.indexOf(this.active);
    const step = { j: 1, k: -1 }[event.key];
    if (event.key === "/") document.querySelector(`input[aria-label="${this.t.question}"]`)?.focus();
    else if (step && numbers[place + step]) this.choose(numbers[place + step]);
    else if (event.key === "o" && place >= 0) this.open(this.data.passages[place]);
    else return;
    event.preventDefault();
  }
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(label, press, properties = {}) {
  return element("button", { type: "button", onclick: press, ...properties }, label);
}

function iconic(sign, label, press, disabled = false) {
  const made = button(sign, press, { className: "icon", title: label, disabled });
  made.setAttribute("aria-label", label);
  return made;
}

function copying(label, done, text) {
  const made = button(label, async () => {
    await navigator.clipboard.writeText(text());
    made.textContent = done;
    setTimeout(() => { made.textContent = label; }, 1500);
  });
  return made;
}

function share(part) {
  return `${100 * part}%`;
}

function whyTable(why) {
  const row = (kind) => (cells) => element("tr", {}, ...cells.map((cell) => element(kind, {}, cell)));
  const table = element("table", {}, element("thead", {}, row("th")(why.head)), element("tbody", {}, ...why.rows.map(row("td"))));
  return element("div", { className: "reasons" }, table, ...why.lines.map((line) => element("p", { className: "where" }, line)));
}

// Turns marks [n] of an answer into buttons.
function marksToButtons(root, press, t, passages) {
  const titles = new Map(passages.map((one) => [one.number, one.title]));
  for (const node of textNodes(root)) {
    const parts = node.data.split(/\[(\d{1,3})\]/);
    if (parts.length < 2) continue;
    node.replaceWith(...parts.map((part, place) => {
      if (place % 2 === 0) return part;
      if (!titles.has(Number(part))) return `[${part}]`;
      const made = button(part, () => press(Number(part)), { className: "number", title: titles.get(Number(part)) });
      made.setAttribute("aria-label", `${t.passage} ${part}`);
      return made;
    }));
  }
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

function unmarked(text) {
  return text.replace(/^\s*(?:[-*+]|\d+[.)])\s+/gm, ""); // marks of lists are no text in the page
}

function letters(text) {
  return [...text.normalize("NFKC").toLowerCase()].filter((sign) => /[\p{L}\p{N}]/u.test(sign)).join("");
}

// Marks what answers, whatever marks and cells lie between its letters.
function mark(root, evidence) {
  if (!evidence) return;
  const places = [];
  for (const node of textNodes(root))
    for (let at = 0; at < node.length; at += 1)
      for (const letter of letters(node.data[at])) places.push({ node, at, letter });
  const page = places.map((place) => place.letter).join("");
  markPlaces(found(page, evidence).map(([start, end]) => places.slice(start, end)));
}

function found(page, evidence) {
  const whole = letters(unmarked(evidence)), at = whole ? page.indexOf(whole) : -1;
  if (at >= 0) return [[at, at + whole.length]];
  const parts = unmarked(evidence).split(/[\n|]/).map(letters).filter((part) => part.length >= LEAST);
  return parts.map((part) => [page.indexOf(part), part.length]).filter(([start]) => start >= 0).map(([start, length]) => [start, start + length]);
}

function markPlaces(parts) {
  const spans = new Map();
  for (const places of parts) {
    const ends = new Map();
    for (const { node, at } of places) ends.set(node, [ends.get(node)?.[0] ?? at, at]);
    for (const [node, span] of ends) spans.set(node, [...(spans.get(node) ?? []), span]);
  }
  for (const [node, own] of spans) {
    node.parentElement.closest("tr")?.classList.add("evidence");
    let before = Infinity; // from the last to the first: marking one cuts the text behind its beginning off
    for (const [first, last] of own.sort((one, other) => other[0] - one[0])) {
      if (last >= before) continue;
      before = first;
      const range = document.createRange();
      range.setStart(node, first);
      range.setEnd(node, last + 1);
      range.surroundContents(document.createElement("mark"));
    }
  }
}

// Scrolls a box so that a mark in it is seen, below what stays at its top.
function toMark(box, target, top) {
  if (!target) return;
  const place = target.getBoundingClientRect(), frame = box.getBoundingClientRect();
  const line = parseFloat(getComputedStyle(box).lineHeight) || 1; // whole lines stand above it
  const spare = Math.max(Math.floor((box.clientHeight - top - place.height) / 2 / line) * line, 0);
  box.scrollTop += place.top - frame.top - top - spare;
  box.scrollLeft += Math.min(place.left - frame.left - 12, 0) || Math.max(place.right - frame.right + 12, 0);
}

// Lets a box begin with the top of a line, below the head of a table that stays there, and end with the bottom of one.
function toWholeLines(box) {
  if (box.scrollHeight <= box.clientHeight + 2) return;
  const frame = box.getBoundingClientRect().top, range = document.createRange();
  const stays = [...box.querySelectorAll("table")].some((table) => table.getBoundingClientRect().top < frame - 1);
  const head = stays ? box.querySelector("thead")?.offsetHeight ?? 0 : 0;
  const nodes = textNodes(box).filter((node) => !stays || !node.parentElement.closest("thead"));
  const lines = nodes.flatMap((node) => { range.selectNodeContents(node); return [...range.getClientRects()]; });
  const tops = lines.map((line) => line.top - frame - head).filter((one) => one >= -1); // what is to be seen stays so
  const top = tops.length ? Math.min(...tops) + box.scrollTop : 0;
  const ends = lines.map((line) => line.bottom - frame + box.scrollTop).filter((one) => one <= top + box.clientHeight + 1);
  box.scrollTop = Math.max(top - 2, 0); // a mark is a little higher than its words
  if (ends.length) box.style.maxHeight = `${Math.max(...ends) - box.scrollTop + 2}px`;
}
