// Makes elements. What is given as a child is text or an element, never markup.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

let last = 0;
export function freshId(prefix) {
  return `${prefix}-${++last}`;
}

export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
