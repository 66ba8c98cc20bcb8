// Makes a drawing zoomable: wheel, pinch and buttons change its size within a pane that scrolls; dragging scrolls it. At
// its smallest it fills the pane, but its texts never get smaller than they were made.
const MOST = 4;
const SLACK = 0.985;       // a drawing that is too large by less than this is made to fit

export function makeZoom(drawing, root) {
  const pane = drawing.parentElement;
  for (const button of root.querySelectorAll("[data-zoom]")) button.onclick = () => by(Number(button.dataset.zoom));
  let width = 1, height = 1, zoom = 1, scale = 1, busy = null, room = { width: 0, height: 0 };

  function apply() {
    const fitting = Math.min(room.width / width, room.height / height), least = leastOf(root);
    scale = (fitting > SLACK * least ? fitting : least) * zoom;
    const wide = width * scale > room.width + 1, high = height * scale > room.height + 1;
    drawing.style.width = wide ? width * scale + "px" : "100%";
    drawing.style.height = high ? height * scale + "px" : "100%";
    pane.classList.toggle("rv-scrolls", wide || high);
  }

  // Scrolls so that the busy part is in view; where all fits there is nothing to do.
  function show() {
    if (!busy || !pane.classList.contains("rv-scrolls")) return;
    const { left, right, bottom } = busy(), margin = Math.max(0, room.width - width * scale) / 2;
    pane.scrollTo(aim(margin + left * scale, margin + right * scale, room.width, pane.scrollLeft), aim(0, bottom * scale, room.height, pane.scrollTop));
  }

  function by(factor, x = room.width / 2, y = room.height / 2) {
    const old = zoom;
    zoom = Math.min(Math.max(zoom * factor, 1), MOST);
    const left = (pane.scrollLeft + x) * zoom / old - x, top = (pane.scrollTop + y) * zoom / old - y;
    apply();
    pane.scrollTo(left, top);
    if (!factor) show();
    return zoom !== old;
  }

  const at = (factor, x, y) => {
    const { left, top } = pane.getBoundingClientRect();
    return by(factor, x - left, y - top);
  };
  pane.addEventListener("wheel", event => {
    if (at(Math.exp(event.deltaY * (event.ctrlKey ? -0.01 : -0.0015)), event.clientX, event.clientY)) event.preventDefault();
  }, { passive: false });
  drag(pane);
  pinch(pane, at);
  new ResizeObserver(([entry]) => {
    room = entry.contentRect;
    apply();
    show();
  }).observe(pane);

  return {
    // Says how large the drawing is in its own units, and how to find the part of it that must be in view.
    fit(newWidth, newHeight, part) {
      busy = part;
      const changed = newWidth !== width || newHeight !== height;
      [width, height] = [newWidth, newHeight];
      if (changed && room.width) apply();
      show();
    },
  };
}

// Pixels of a unit of the drawing at its smallest: two in the projector view, which is made for 1280 x 720.
function leastOf(root) {
  return root.closest("[data-view=present]") ? 2 * Math.min(1, Math.max(0.6, Math.min(innerWidth / 1280, innerHeight / 720))) : 1;
}

// Where to scroll to along one axis: nowhere when the part is in view, else to its middle, or its beginning if too long.
function aim(from, to, room, now) {
  if (from >= now && to <= now + room) return now;
  return to - from > room ? from - 8 : (from + to - room) / 2;
}

function drag(pane) {
  let start = null, moved = false;
  pane.onpointerdown = ({ pointerType, clientX, clientY }) => {
    start = pointerType === "mouse" ? { x: clientX + pane.scrollLeft, y: clientY + pane.scrollTop } : null;
    moved = false;
  };
  pane.onpointermove = ({ buttons, clientX, clientY }) => {
    if (!start || buttons !== 1) return;
    const left = start.x - clientX, top = start.y - clientY;
    moved ||= Math.hypot(left - pane.scrollLeft, top - pane.scrollTop) > 5;
    if (moved) pane.scrollTo(left, top);
  };
  pane.addEventListener("click", event => moved && event.stopPropagation(), true);   // the end of a drag is no click
}

function pinch(pane, at) {
  let apart = 0;
  const follow = event => {
    const [one, two] = event.touches;
    if (!two) return;
    const now = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    if (event.type === "touchmove") at(now / apart, (one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2);
    apart = now;
    event.preventDefault();
  };
  for (const name of ["touchstart", "touchmove"]) pane.addEventListener(name, follow, { passive: false });
}
