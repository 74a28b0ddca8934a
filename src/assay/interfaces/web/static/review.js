// Points by key, one criterion after another. Without this script the fields are plain numbers.

const form = document.querySelector("form[data-review]");
const fields = [...form.querySelectorAll("input[data-points]")];
let current = 0;

function give(points) {
  const field = fields[current];
  if (!field) return;
  field.value = String(points / Number(field.dataset.points));
  current = (current + 1) % fields.length;
  mark();
}

function mark() {
  fields.forEach((field, place) => field.classList.toggle("current", place === current));
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("textarea") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    form.requestSubmit(form.querySelector("button[value=correct]"));
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (/^[0-9]$/.test(event.key)) give(Number(event.key));
  else if (event.key === "t") give(10);
});

form.addEventListener("click", (event) => {
  const set = event.target.closest("button[data-set]");
  if (set) fields[0].value = set.dataset.set;
});

fields.forEach((field, place) => field.addEventListener("focus", () => { current = place; mark(); }));
mark();
