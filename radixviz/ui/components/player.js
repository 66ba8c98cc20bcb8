// Called at the first show and again at every change of data or theme. The HTML is made, and escaped, in Python.
export default function ({ data, parentElement }) {
  const mount = parentElement.querySelector(".rv-mount");
  if (mount.rvShown !== data.html) {
    mount.innerHTML = data.html;
    mount.rvShown = data.html;
  }
  const player = mount.querySelector(".rv-player");
  const back = getComputedStyle(mount).getPropertyValue("--st-background-color");
  if (player && back) player.dataset.theme = isDark(mount, back) ? "dark" : "light";
}

function isDark(mount, colour) {
  const probe = document.createElement("i");
  probe.style.color = colour;
  mount.append(probe);
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}
