// Shows an SVG that the server has drawn, in the colours of the page's theme.
export default function ({ data, parentElement }) {
  const mount = parentElement.querySelector(".rv-figure");
  if (mount.rvSvg !== data.svg) mount.innerHTML = mount.rvSvg = data.svg;
  const probe = mount.appendChild(document.createElement("i"));
  probe.style.color = "var(--st-background-color,#fff)";
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  mount.dataset.theme = red + green + blue < 384 ? "dark" : "light";
}
