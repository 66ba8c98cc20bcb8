// A button that draws the SVG of the shown frame as PNG, with the reader's own fonts, and saves it.
// It is a component of its own: `data` is {label, failed, name, svg}.
const ZOOM = 2;              // pixels for each of the drawing's own, for a sharp print

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button"), note = parentElement.querySelector("[role=status]");
  button.textContent = data.label;
  note.textContent = "";
  button.onclick = async () => {
    button.disabled = true;
    note.textContent = "";
    try {
      save(await drawn(data.svg), data.name);
    } catch {
      note.textContent = data.failed;
    }
    button.disabled = false;
  };
}

async function drawn(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth * ZOOM, image.naturalHeight * ZOOM];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const made = await new Promise(done => canvas.toBlob(done, "image/png"));
    if (!made) throw new Error("no picture");
    return made;
  } finally {
    URL.revokeObjectURL(address);
  }
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
