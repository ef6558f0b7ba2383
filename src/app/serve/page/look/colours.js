// The colours of the style sheets as numbers, for pictures that are painted point by point.

export function readColours(element, names) {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const colours = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--${name})`;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    return [name, [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)];
  }));
  probe.remove();
  return colours;
}

export const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
export const css = (colour, alpha = 1) => `rgb(${colour.join(' ')} / ${alpha})`;
