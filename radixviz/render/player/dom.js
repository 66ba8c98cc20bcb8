// Elements made by DOM calls only: what a user wrote is set as text and never read as markup.
// el("p", {class: "rv-x", data: {page: 3}, onclick: act, hidden: true}, "text", child, ...)
export const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function filled(element, attributes, children) {
  for (const name in attributes) put(element, name, attributes[name]);
  element.append(...children.flat().filter(child => child != null && child !== ""));
  return element;
}

// Sets one attribute, and only when it differs: null or false removes it, true leaves it empty.
export function put(element, name, value) {
  if (name === "data") for (const key in value) put(element, "data-" + key, value[key]);
  else if (name.startsWith("on")) element[name] = value;
  else if (value == null || value === false) element.removeAttribute(name);
  else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

// Sets the text of an element, and only when it differs.
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A button that explains a term of the glossary; it may have a colour of the figure.
export const termButton = (term, text = "", role = null) =>
  el("button", { type: "button", class: "rv-term" + (role ? ` rv-role-${role}` : ""), data: { term } }, text);
