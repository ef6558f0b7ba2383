// One figure over the epochs, as a line. The pointer, or the arrow keys, read off a value.
import {h, svg} from '../shell/dom.js';

const kWidth = 360;
const kHeight = 150;
const margin = {left: 46, right: 12, top: 12, bottom: 24};

function steps(low, high, count) {
  const raw = (high - low || Math.abs(high) || 1) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((value) => value >= raw);
  const marks = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step) marks.push(value);
  return marks;
}

export function figureText(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 0.001) return value.toExponential(1);
  if (size >= 10000) return `${Number((value / 1000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(size >= 100 ? 4 : 3)));
}

// `lines` are {name, kind, points: [{epoch, value}]}, `best` is an epoch to mark, or null.
export function chart({title, lines, best}) {
  const all = lines.flatMap(({points}) => points);
  const epochs = all.map(({epoch}) => epoch);
  const values = all.map(({value}) => value);
  const [first, last] = [Math.min(...epochs), Math.max(...epochs)];
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) [low, high] = [low - Math.abs(low || 1) * 0.1, high + Math.abs(high || 1) * 0.1];
  const pad = (high - low) * 0.06;
  [low, high] = [low - pad, high + pad];
  const x = (epoch) => margin.left + (last === first ? 0.5 : (epoch - first) / (last - first)) * (kWidth - margin.left - margin.right);
  const y = (value) => kHeight - margin.bottom - (value - low) / (high - low) * (kHeight - margin.top - margin.bottom);

  const main = lines[0];
  const readout = h('span', {class: 'figure chart-value'});
  const cursor = svg('g', {class: 'chart-cursor', visibility: 'hidden'}, svg('line', {y1: margin.top, y2: kHeight - margin.bottom}), lines.map(({kind}) => svg('circle', {r: 3.6, class: kind})));
  const picture = svg('svg', {class: 'chart', viewBox: `0 0 ${kWidth} ${kHeight}`, role: 'img', tabindex: '0',
                              'aria-label': `${title}: ${figureText(main.points[0].value)} in epoch ${main.points[0].epoch}, ${figureText(main.points.at(-1).value)} in epoch ${main.points.at(-1).epoch}`},
      steps(low, high, 4).map((value) => svg('g', {class: 'chart-step'},
          svg('line', {x1: margin.left, x2: kWidth - margin.right, y1: y(value), y2: y(value)}), svg('text', {x: margin.left - 7, y: y(value) + 3.5, 'text-anchor': 'end'}, figureText(value)))),
      steps(first, last, 5).filter(Number.isInteger).map((epoch) => svg('text', {class: 'chart-epoch', x: x(epoch), y: kHeight - 7, 'text-anchor': 'middle'}, String(epoch))),
      best !== null && best >= first && best <= last ? svg('line', {class: 'chart-best', x1: x(best), x2: x(best), y1: margin.top, y2: kHeight - margin.bottom}) : '',
      lines.map(({points, kind}) => (points.length > 1
        ? svg('path', {class: `chart-line ${kind}`, d: points.map(({epoch, value}, i) => `${i ? 'L' : 'M'}${x(epoch).toFixed(1)} ${y(value).toFixed(1)}`).join('')})
        : svg('circle', {class: `chart-point ${kind}`, cx: x(points[0].epoch), cy: y(points[0].value), r: 3.5}))),
      cursor);

  const rest = () => {
    cursor.setAttribute('visibility', 'hidden');
    readout.textContent = figureText(main.points.at(-1).value);
  };
  let at = main.points.length - 1;
  const read = (index) => {
    at = Math.max(0, Math.min(main.points.length - 1, index));
    const {epoch} = main.points[at];
    cursor.setAttribute('visibility', 'visible');
    const line = cursor.firstChild;
    line.setAttribute('x1', x(epoch));
    line.setAttribute('x2', x(epoch));
    const read = lines.map(({points, name}, i) => {
      const point = points.find((other) => other.epoch === epoch);
      const circle = cursor.children[i + 1];
      circle.setAttribute('visibility', point ? 'inherit' : 'hidden');
      if (!point) return null;
      circle.setAttribute('cx', x(epoch));
      circle.setAttribute('cy', y(point.value));
      return lines.length > 1 ? `${name} ${figureText(point.value)}` : figureText(point.value);
    });
    readout.textContent = `${read.filter(Boolean).join(' · ')} in epoch ${epoch}`;
  };
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const wanted = (event.clientX - box.left) / box.width * kWidth;
    read(main.points.reduce((nearest, point, i) => (Math.abs(x(point.epoch) - wanted) < Math.abs(x(main.points[nearest].epoch) - wanted) ? i : nearest), 0));
  });
  picture.addEventListener('pointerleave', rest);
  picture.addEventListener('blur', rest);
  picture.addEventListener('keydown', (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}[event.key];
    if (!by) return;
    event.preventDefault();
    read(at + by);
  });
  rest();
  return h('section', {class: 'card chart-card', 'data-chart': title}, h('div', {class: 'card-head'}, h('h2', {}, title), readout), picture);
}
