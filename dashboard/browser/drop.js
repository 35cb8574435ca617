// Files and folders that are dropped anywhere go to the form that takes files; a click on its button opens it.

const FORM = ".st-key-incoming-files input[type=file]";
const BUTTON = ".st-key-add-documents button";
const LOOK_MS = 100;
const LOOKS = 150;
let listening = new AbortController();

export default function drop({ data, parentElement }) {
  const veil = parentElement.querySelector(".veil");
  veil.textContent = data.said;
  listening.abort(); // Streamlit calls this again whenever the page runs
  listening = new AbortController();
  const heed = (type, does) => {
    const heard = (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation(); // Streamlit's own would drop the folders' names
      does(event);
    };
    window.addEventListener(type, heard, { capture: true, signal: listening.signal });
  };
  for (const type of ["dragenter", "dragover"]) heed(type, () => veil.togglePopover(true));
  heed("dragleave", (event) => event.relatedTarget || veil.togglePopover(false));
  heed("drop", async (event) => {
    veil.togglePopover(false);
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = entries.length ? (await Promise.all(entries.map(walked))).flat() : [...event.dataTransfer.files];
    if (files.length) hand(files, await form());
  });
  return () => listening.abort();
}

async function walked(entry) {
  if (entry.isFile) {
    const file = await new Promise((found, failed) => entry.file(found, failed));
    const path = entry.fullPath.slice(1);
    return path.includes("/") ? [new File([file], path, { type: file.type, lastModified: file.lastModified })] : [file];
  }
  const reader = entry.createReader();
  const found = [];
  for (let more; (more = await new Promise((read, failed) => reader.readEntries(read, failed))).length; ) {
    found.push(...more); // a browser gives a hundred at a time
  }
  return (await Promise.all(found.map(walked))).flat();
}

async function form() {
  if (!document.querySelector(FORM)) document.querySelector(BUTTON)?.click();
  for (let look = 0; look < LOOKS && !document.querySelector(FORM); look++) {
    await new Promise((passed) => setTimeout(passed, LOOK_MS));
  }
  return document.querySelector(FORM);
}

function hand(files, input) {
  if (!input) return;
  const given = new DataTransfer();
  for (const file of files) given.items.add(file);
  input.files = given.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}
