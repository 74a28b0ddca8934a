// A search among the tests of the page. Without it they are all there, and so are the filters.
for (const tests of document.querySelectorAll(".tests")) {
  const box = tests.querySelector("input[type=search]");
  const count = tests.querySelector("output");
  const rows = [...tests.querySelectorAll("tbody")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const search = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
      found += !row.hidden;
    });
    count.textContent = words.length ? `${found} / ${rows.length}` : "";
  };
  box.addEventListener("input", search);
  box.parentElement.hidden = false;
}
