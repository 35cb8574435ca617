// A table of rows that the server has sorted and cut. It shows data as text alone, and tells what a visitor wants:
// `sort` (a column's key, "-" before it for descending), `selected` (ids of the checked rows), `open` (a link's address).

const CODE = /([A-Za-z0-9]+(?:-[A-Za-z0-9]+)+)/;
const LONGEST_CODE = 20;

export default function table({ data, parentElement, setStateValue, setTriggerValue }) {
  const holder = parentElement.querySelector(".holder");
  const shown = JSON.stringify({ ...data, selected: [] });
  if (holder.shown === shown) return; // what is checked here is newer than what comes back of it
  holder.checked ??= new Set(data.selected);
  const focused = parentElement.activeElement?.dataset.place;
  const tell = {
    sort: (key) => setTriggerValue("sort", key),
    open: (href) => setTriggerValue("open", href),
    select: () => {
      holder.checked = new Set(boxes(holder).filter((box) => box.checked).map((box) => box.value));
      markAll(holder);
      setStateValue("selected", [...holder.checked]);
    },
  };
  holder.replaceChildren(wholeTable(data, holder.checked, tell));
  holder.shown = shown;
  if (data.select) markAll(holder);
  if (focused) [...holder.querySelectorAll("[data-place]")].find((one) => one.dataset.place === focused)?.focus();
}

function wholeTable(data, checked, tell) {
  const head = made("tr", {}, ...data.columns.map((column) => headCell(column, data, tell)));
  const body = data.rows.map((row) => bodyRow(row, data, checked, tell));
  if (data.select) head.prepend(made("th", { scope: "col", className: "check" }, allBox(data, tell)));
  const caption = made("caption", { textContent: data.caption });
  return made("table", {}, caption, made("thead", {}, head), made("tbody", {}, ...body));
}

function headCell(column, data, tell) {
  const cell = made("th", { scope: "col", className: classOf(column) });
  for (const one of [column, column.also].filter(Boolean)) {
    if (!one.sort) {
      cell.append(one.title);
      continue;
    }
    const [rising, falling] = [one.sort, `-${one.sort}`];
    const sorted = { [rising]: "ascending", [falling]: "descending" }[data.sort];
    if (sorted) cell.ariaSort = sorted;
    const first = one.falls ? falling : rising;
    const next = data.sort === first ? (first === rising ? falling : rising) : first;
    const button = made("button", { type: "button", textContent: one.title, onclick: () => tell.sort(next) });
    button.className = sorted ?? "";
    button.dataset.place = `sort ${one.sort}`;
    cell.append(button);
  }
  return cell;
}

function bodyRow(row, data, checked, tell) {
  const line = made("tr");
  row.cells.forEach((cell, at) => {
    const column = data.columns[at];
    const kind = at ? made("td") : made("th", { scope: "row" });
    kind.className = classOf(column);
    kind.append(...content(cell, tell));
    line.append(kind);
  });
  if (data.select) line.prepend(made("td", { className: "check" }, rowBox(row, data, checked, tell)));
  return line;
}

function content(cell, tell) {
  const parts = [];
  if (cell.href) parts.push(anchor(cell, tell));
  else if (cell.share !== undefined) parts.push(bar(cell));
  else if (cell.text) parts.push(words("span", cell.text));
  for (const badge of cell.badges ?? []) {
    const shown = words("span", badge.text);
    shown.className = `badge ${badge.tone}`;
    parts.push(" ", shown);
  }
  if (cell.small) {
    const small = words("div", cell.small);
    small.className = "small";
    parts.push(small);
  }
  return parts;
}

function anchor(cell, tell) {
  const link = words("a", cell.text);
  link.href = cell.href;
  link.dataset.place = `open ${cell.href}`;
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // a tab or a window of its own
    event.preventDefault();
    tell.open(cell.href);
  };
  return link;
}

function bar(cell) {
  const shown = made("span", { className: "bar", textContent: cell.text });
  shown.style.setProperty("--from", percent(cell.begins));
  shown.style.setProperty("--to", percent(cell.begins + cell.share));
  return shown;
}

function percent(share) {
  return `${Math.min(1, Math.max(0, share)) * 100}%`;
}

function rowBox(row, data, checked, tell) {
  const name = `${data.select.one} ${row.cells[0].text}`;
  const box = made("input", { type: "checkbox", value: row.id, ariaLabel: name, onchange: tell.select });
  box.checked = checked.has(row.id);
  box.dataset.place = `row ${row.id}`;
  return made("label", {}, box);
}

function allBox(data, tell) {
  const box = made("input", { type: "checkbox", ariaLabel: data.select.all });
  box.dataset.place = "all";
  box.onchange = () => {
    for (const one of boxes(box.closest("table"))) one.checked = box.checked;
    tell.select();
  };
  return made("label", {}, box);
}

function boxes(around) {
  return [...around.querySelectorAll("tbody input")];
}

function markAll(holder) {
  const [all, each] = [holder.querySelector("thead input"), boxes(holder)];
  all.checked = each.length > 0 && each.every((box) => box.checked);
  all.indeterminate = !all.checked && each.some((box) => box.checked);
}

function classOf(column) {
  return `${column.kind} from-${column.width}`;
}

function words(tag, text) {
  const parts = text.split(CODE).map((part) => {
    const isCode = part.length <= LONGEST_CODE && CODE.test(part) && /\d/.test(part);
    return isCode ? made("span", { className: "code", textContent: part }) : part;
  });
  return made(tag, {}, ...parts);
}

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
