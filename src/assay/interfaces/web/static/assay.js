// Keys and live pages. Every page works without this script; it only saves clicks and reloads.

const POLL_MS = 2000;
const typing = (element) => element.matches("input, textarea, select, [contenteditable]");
const items = () => [...document.querySelectorAll("[data-item]")];

// An element with data-key="x" is clicked by the key x.
function press(key) {
  const element = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!element) return false;
  element.focus();
  if (!element.matches("input, textarea, select")) element.click();
  return true;
}

// Next and previous: links of the page where it has them, else the items of its list.
function move(step) {
  const link = document.querySelector(step > 0 ? "a[rel~=next]" : "a[rel~=prev]");
  if (link && !items().length) return link.click();
  const all = items();
  const at = all.findIndex((item) => item.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
  if (next >= 0 && next < all.length) all[next].querySelector("a, button")?.focus();
  else link?.click();
}

function help() {
  const dialog = document.getElementById("help");
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && typing(event.target)) return event.target.blur();
  if (typing(event.target)) return;
  const actions = { j: () => move(1), k: () => move(-1), "?": help };
  if (actions[event.key]) actions[event.key]();
  else if (!press(event.key)) return;
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("button.keys")) help();
});

// A choice in a filter counts at once.
document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});

// Times in the reader's zone; the store has UTC.
function localTimes(root) {
  const page = document.documentElement.lang;
  const language = navigator.languages.find((each) => each.startsWith(page)) ?? page;
  const shape = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  for (const each of root.querySelectorAll("time[datetime]")) {
    const when = new Date(each.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      each.textContent = shape.format(when);
      each.title = each.dateTime;
    }
  }
}

// Each live element is replaced by its newest version; what has focus is left alone for now.
async function refresh() {
  const live = [...document.querySelectorAll("[data-live][id]")];
  if (!live.length || document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  localTimes(page);
  for (const old of live) {
    const fresh = page.getElementById(old.id);
    if (!fresh || fresh.outerHTML === old.outerHTML) continue;
    const chosen = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
    old.replaceWith(document.adoptNode(fresh));
    if (chosen) fresh.querySelector(`[href="${CSS.escape(chosen)}"]`)?.focus();
  }
}

document.querySelector("button.keys").hidden = false;
localTimes(document);
setInterval(() => refresh().catch(() => {}), POLL_MS);
