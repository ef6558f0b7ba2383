// The vectors in two dimensions: zoom, move, hover, search; coloured by truth or by popularity.
import {formatAddress} from '../shell/address.js';
import {aborted, getMade, latest, modelPath} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {icon} from '../shell/icons.js';
import {searchBox, withMark} from '../shell/search_box.js';
import {errorState, loadingState} from '../shell/states.js';
import {onThemeChange} from '../shell/theme.js';
import {truthText, truthWord} from '../shell/truth.js';
import {css, mix, readColours} from './colours.js';
import {createPlane} from './plane.js';

const kReach = 14;      // pixels from the pointer to a point that counts as hovered
const kNeighbours = 6;
const kLabels = 18;

export function createMap(shell, model) {
  const plane = createPlane();
  const question = latest();
  const canvas = h('canvas', {class: 'map', tabindex: '0', role: 'img', 'aria-label': 'Map'});
  const tip = h('div', {class: 'map-tip', hidden: true});
  const card = h('div', {class: 'map-card', hidden: true});
  const status = h('p', {class: 'muted small', id: 'map-status'});
  const search = searchBox({
    id: 'search-map', label: 'Find a point', placeholder: model.task === 'equations' ? 'Find a variable' : 'Find a title',
    find: async (text) => find(text), present: (point) => ({label: point.label, content: h('span', {class: 'option-name'}, withMark(point.label, search.field.value.trim()))}),
    choose: (point) => choose(point.name, true),
  });
  const tools = [['plus', 'Zoom in', () => zoomBy(1.6)], ['minus', 'Zoom out', () => zoomBy(1 / 1.6)], ['fit', 'Show everything', () => { plane.whole(); changed(); }]]
      .map(([symbol, label, act]) => h('button', {class: 'icon-button', type: 'button', 'aria-label': label, title: label, onclick: act}, icon(symbol)));
  const legend = model.task === 'equations'
      ? h('p', {class: 'legend small muted'}, h('span', {}, 'false'), h('i', {class: 'scale'}), h('span', {}, 'true'))
      : h('p', {class: 'legend small muted'}, h('span', {}, 'few likes'), h('i', {class: 'scale popularity'}), h('span', {}, 'many'));
  const stage = h('div', {class: 'map-stage'}, canvas, tip, card, h('div', {class: 'map-tools'}, tools));
  const body = h('div', {});
  const element = h('div', {class: 'card map-view'}, h('div', {class: 'map-head'}, search.element, status, legend), body);

  let address = null;
  let points = null;
  let byName = new Map();
  let colours = null;
  let hovered = null;
  let frame = 0;
  let drag = null;
  const fingers = new Map();

  function find(text) {
    const wanted = text.toLowerCase();
    const starts = points?.filter(({label}) => label.toLowerCase().startsWith(wanted)) ?? [];
    const contains = wanted ? points?.filter(({label}) => label.toLowerCase().indexOf(wanted) > 0) ?? [] : [];
    return [...starts, ...contains].slice(0, 30);
  }

  function take(data) {
    const xs = data.points.map(({x}) => x);
    const ys = data.points.map(({y}) => y);
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const size = Math.max(Math.max(...xs) - left, Math.max(...ys) - top) || 1;
    const most = Math.log1p(Math.max(...data.points.map(({likes}) => likes ?? 0), 1));
    const [dx, dy] = [(1 - (Math.max(...xs) - left) / size) / 2, (1 - (Math.max(...ys) - top) / size) / 2];
    points = data.points.map((point) => ({
      ...point, label: point.title || point.name, u: (point.x - left) / size + dx, v: (point.y - top) / size + dy,
      popularity: point.likes === undefined || point.likes === null ? 0 : Math.log1p(point.likes) / most,
    }));
    byName = new Map(points.map((point) => [point.name, point]));
    const many = points.length.toLocaleString('en');
    const total = data.total && data.total > points.length ? ` of ${data.total.toLocaleString('en')}` : '';
    status.textContent = `${many}${total} ${model.task === 'equations' ? 'variables' : 'items'}, ${data.method ?? 'projected'}`;
    canvas.setAttribute('aria-label', `Map of ${many} ${model.task === 'equations' ? 'variables by their truth' : 'items by popularity'}. Arrow keys move it, plus and minus zoom, 0 shows everything.`);
  }

  function colourOf(point) {
    if (model.task === 'equations') {
      const p = point.probability ?? 0.5;
      return mix(colours.undecided, p >= 0.5 ? colours.true : colours.false, Math.abs(p - 0.5) * 2);
    }
    return mix(colours['line-strong'], colours.accent, point.popularity);
  }

  function readTheme() {
    colours = readColours(element, ['true', 'false', 'undecided', 'accent', 'ink', 'muted', 'surface', 'line-strong']);
    for (const point of points ?? []) point.colour = colourOf(point);
    redraw();
  }

  const radius = (point) => (2.1 + 3 * (model.task === 'equations' ? 0.45 : point.popularity)) * Math.min(2, 0.85 + 0.15 * plane.scale) * (points.length > 1500 ? 0.8 : 1.25);

  function draw() {
    if (!points || !canvas.isConnected || !colours) return;
    const ratio = devicePixelRatio || 1;
    plane.width = canvas.clientWidth;
    plane.height = canvas.clientHeight;
    if (canvas.width !== Math.round(plane.width * ratio) || canvas.height !== Math.round(plane.height * ratio)) {
      canvas.width = Math.round(plane.width * ratio);
      canvas.height = Math.round(plane.height * ratio);
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, plane.width, plane.height);
    const seen = [];
    for (const point of points) {
      const {x, y} = plane.toScreen(point);
      point.at = {x, y};
      if (x < -20 || y < -20 || x > plane.width + 20 || y > plane.height + 20) continue;
      seen.push(point);
      context.fillStyle = css(point.colour, 0.78);
      context.beginPath();
      context.arc(x, y, radius(point), 0, 2 * Math.PI);
      context.fill();
    }
    const chosen = byName.get(address.params.at);
    if (plane.scale > 2.2 || seen.length <= 40) label(context, seen.filter((point) => point !== chosen), chosen);
    for (const [point, width] of [[hovered, 1.8], [chosen, 2.6]]) {
      if (!point) continue;
      context.strokeStyle = css(colours.ink);
      context.lineWidth = width;
      context.beginPath();
      context.arc(point.at.x, point.at.y, radius(point) + 3.5, 0, 2 * Math.PI);
      context.stroke();
    }
    if (chosen) text(context, chosen, true);
  }

  function text(context, point, strong) {
    context.font = `${strong ? 650 : 500} 12.5px ${getComputedStyle(element).fontFamily}`;
    const words = point.label.length > 30 ? `${point.label.slice(0, 29)}…` : point.label;
    const width = context.measureText(words).width;
    const right = point.at.x + radius(point) + 6 + width < plane.width - 4;
    const x = right ? point.at.x + radius(point) + 6 : point.at.x - radius(point) - 6 - width;
    const y = point.at.y + 4;
    context.lineWidth = 3.5;
    context.lineJoin = 'round';
    context.strokeStyle = css(colours.surface, 0.9);
    context.strokeText(words, x, y);
    context.fillStyle = css(strong ? colours.ink : mix(colours.muted, colours.ink, 0.35));
    context.fillText(words, x, y);
    return {left: x - 4, right: x + width + 4, top: y - 13, bottom: y + 5};
  }

  // Names as far as they do not cover each other, the most popular first.
  function label(context, seen, chosen) {
    const taken = chosen ? [text(context, chosen, true)] : [];
    const first = [...seen].sort((a, b) => b.popularity - a.popularity);
    for (const point of first) {
      if (taken.length >= kLabels) break;
      const box = {left: point.at.x - 4, right: point.at.x + 130, top: point.at.y - 11, bottom: point.at.y + 9};
      if (taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom)) continue;
      taken.push(text(context, point, false));
    }
  }

  function redraw() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  }

  // What is seen belongs to the address, but every pixel of a drag is not a step to go back to.
  let settle = 0;
  function changed() {
    redraw();
    hover(null);
    clearTimeout(settle);
    settle = setTimeout(() => shell.go({...address, params: {...address.params, see: plane.text}}, {replace: true}), 250);
  }

  function zoomBy(factor, x, y) {
    plane.zoom(factor, x, y);
    changed();
  }

  function near(x, y) {
    let best = null;
    let least = kReach ** 2;
    for (const point of points ?? []) {
      if (!point.at) continue;
      const distance = (point.at.x - x) ** 2 + (point.at.y - y) ** 2;
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }

  function facts(point) {
    if (model.task === 'equations') return `${truthText(point.probability)}, ${truthWord(point.probability)}`;
    return point.likes === undefined || point.likes === null ? point.name : `${point.likes.toLocaleString('en')} likes`;
  }

  function hover(point) {
    hovered = point;
    tip.hidden = !point;
    canvas.classList.toggle('over', Boolean(point));
    if (point) {
      replace(tip, h('strong', {}, point.label), h('span', {class: 'muted'}, facts(point)));
      tip.style.left = `${Math.min(point.at.x + 14, plane.width - tip.offsetWidth - 6)}px`;
      tip.style.top = `${point.at.y + 16 + tip.offsetHeight < plane.height ? point.at.y + 16 : point.at.y - tip.offsetHeight - 12}px`;
    }
    redraw();
  }

  function choose(name, bring = false) {
    const point = byName.get(name);
    if (point && bring) {
      plane.scale = Math.max(plane.scale, 4);
      Object.assign(plane, {x: point.u, y: point.v});
    }
    shell.go({...address, params: {...address.params, at: name ?? '', see: plane.text}});
    if (point) shell.announce(`${point.label}: ${facts(point)}`);
  }

  function showCard() {
    const point = byName.get(address.params.at);
    card.hidden = !point;
    if (!point) return;
    const near = points.filter((other) => other !== point)
        .map((other) => ({other, distance: (other.u - point.u) ** 2 + (other.v - point.v) ** 2}))
        .sort((a, b) => a.distance - b.distance).slice(0, kNeighbours);
    const onward = model.task === 'equations'
        ? h('a', {class: 'button', href: formatAddress({view: 'reason', model: model.name, params: {e: /^\w+$/.test(point.name) ? point.name : `"${point.name.replaceAll('"', '""')}"`}})}, 'Reason about it')
        : h('a', {class: 'button', href: formatAddress({view: 'recommend', model: model.name, params: {h: `+${encodeURIComponent(point.name)}`}})}, 'What comes next');
    replace(card, h('div', {class: 'map-card-head'}, h('div', {}, h('h2', {}, point.label), h('p', {class: 'muted small'}, facts(point))),
        h('button', {class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => choose(null)}, icon('close'))),
    h('h3', {}, 'Next to it'),
    h('ul', {class: 'near'}, near.map(({other}) => h('li', {}, h('button', {class: 'link-button', type: 'button', onclick: () => choose(other.name)}, other.label)))),
    onward);
  }

  const local = (event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const {x, y} = local(event);
    zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0018)), x, y);
  }, {passive: false});
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, local(event));
    drag = {moved: 0};
  });
  canvas.addEventListener('pointermove', (event) => {
    const now = local(event);
    const before = fingers.get(event.pointerId);
    if (!before) return hover(event.pointerType === 'mouse' ? near(now.x, now.y) : null);
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (others.length === 1) {
      const [other] = others;
      const spread = (at) => Math.hypot(at.x - other.x, at.y - other.y) || 1;
      plane.zoom(spread(now) / spread(before), other.x, other.y);
    } else {
      plane.drag(now.x - before.x, now.y - before.y);
    }
    if (drag) drag.moved += Math.hypot(now.x - before.x, now.y - before.y);
    fingers.set(event.pointerId, now);
    changed();
  });
  const release = (event) => {
    const at = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (event.type === 'pointerup' && at && drag && drag.moved < 5) {
      const point = near(at.x, at.y);
      if (point || address.params.at) choose(point?.name ?? null);
    }
    if (fingers.size === 0) drag = null;
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => fingers.size || hover(null));
  canvas.addEventListener('keydown', (event) => {
    const step = 60;
    const act = {
      ArrowLeft: () => plane.drag(step, 0), ArrowRight: () => plane.drag(-step, 0), ArrowUp: () => plane.drag(0, step), ArrowDown: () => plane.drag(0, -step),
      '+': () => plane.zoom(1.4), '=': () => plane.zoom(1.4), '-': () => plane.zoom(1 / 1.4), 0: () => plane.whole(),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
    changed();
  });
  const watcher = new ResizeObserver(redraw);
  watcher.observe(canvas);
  const unwatch = onThemeChange(() => points && readTheme());

  async function load() {
    replace(body, h('div', {class: 'map-stage waiting'}, loadingState('The vectors are being projected to two dimensions. For many of them that takes a minute, once.', {rows: 6, told: true})));
    try {
      take(await getMade(`${modelPath(model.name)}/projection`, question.next()));
      replace(body, stage);
      readTheme();
      showCard();
    } catch (error) {
      if (!aborted(error)) replace(body, errorState(error, load));
    }
  }

  return {
    element,
    show(next) {
      address = next;
      if ((next.params.see ?? '') !== plane.text) plane.text = next.params.see;
      if (!points) return void load();
      showCard();
      redraw();
    },
    leave() {
      question.stop();
      clearTimeout(settle);
      cancelAnimationFrame(frame);
      watcher.disconnect();
      unwatch();
      search.leave();
    },
  };
}
