// The network of an expression as a picture in which every node shows how true it is. Nodes stay the same elements from
// one answer to the next, so that they move and change colour instead of being drawn anew.
import {calm, h, replace, svg} from '../shell/dom.js';
import {paint, truthText, truthWord} from '../shell/truth.js';
import {placeNodes} from './layout.js';

const kMostNodes = 240;
const kMoving = 280;   // milliseconds
const kHeight = 44;
const kSigns = {and: 'AND', or: 'OR', not: 'NOT', true: 'T', false: 'F'};

// Equal parts of different networks get equal keys.
const interned = new Map();
function intern(text) {
  if (!interned.has(text)) interned.set(text, `n${interned.size}`);
  return interned.get(text);
}

function shorten(text, most) {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

export function createDrawing({choose}) {
  const edgeLayer = svg('g', {class: 'edges'});
  const nodeLayer = svg('g', {class: 'nodes'});
  const picture = svg('svg', {class: 'network', role: 'group', 'aria-label': 'Network'}, edgeLayer, nodeLayer);
  const note = h('p', {class: 'muted small', hidden: true});
  const element = h('div', {class: 'network-frame', tabindex: '-1'}, picture, note);
  let shown = new Map();    // key → {group, box, label, figure, x, y, truth}
  let edges = new Map();    // key → {path, flow}
  let frame = 0;
  let last = null;
  let rootKey = null;       // of the network that was scrolled to its root
  let room = 0;

  const narrow = () => element.clientWidth < 560;

  function makeNode(node) {
    const box = svg('rect', {rx: node.kind === 'variable' ? 22 : 12, height: kHeight, y: -kHeight / 2});
    const label = svg('text', {class: 'node-label', y: -3});
    const figure = svg('text', {class: 'node-figure', y: 13});
    const group = svg('g', {class: `node node-${node.kind}`}, svg('title', {}), box, label, figure);
    if (node.kind === 'variable') {
      const act = () => choose(group.node, group.getBoundingClientRect(), group);
      group.setAttribute('tabindex', '0');
      group.setAttribute('role', 'button');
      group.setAttribute('aria-haspopup', 'menu');
      group.addEventListener('click', act);
      group.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        act();
      });
    } else {
      group.setAttribute('role', 'img');
    }
    nodeLayer.append(group);
    return {group, box, label, figure, x: null, y: null, truth: null};
  }

  function dress(made, node, isRoot) {
    const name = node.kind === 'variable' ? shorten(node.name, 18) : kSigns[node.kind];
    const assumed = node.assumed === true || node.assumed === false;
    made.group.node = node;
    made.group.dataset.name = node.name ?? '';
    made.label.textContent = name;
    made.figure.textContent = assumed ? `assumed ${node.assumed ? 'T' : 'F'}` : truthText(node.truth);
    made.group.firstChild.textContent = node.name ?? '';
    made.box.setAttribute('width', node.width);
    made.box.setAttribute('x', -node.width / 2);
    made.group.classList.toggle('root', isRoot);
    made.group.classList.toggle('assumed', assumed);
    const what = isRoot ? `Result, ${name}` : node.kind === 'variable' ? node.name : name;
    made.group.setAttribute('aria-label', `${what}: ${truthText(node.truth)}, ${truthWord(node.truth)}${assumed ? ', assumed' : ''}`);
    paint(made.group, node.truth);
  }

  function edgePath(points, vertical) {
    let path = `M${points[0].x} ${points[0].y}`;
    for (let i = 1; i < points.length; ++i) {
      const [a, b] = [points[i - 1], points[i]];
      const middle = vertical ? (a.y + b.y) / 2 : (a.x + b.x) / 2;
      path += vertical ? `C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${b.y}` : `C${middle} ${a.y} ${middle} ${b.y} ${b.x} ${b.y}`;
    }
    return path;
  }

  function draw(nodes, root) {
    last = {nodes, root};
    room = element.clientWidth;
    cancelAnimationFrame(frame);
    if (nodes.length > kMostNodes) {
      note.hidden = false;
      note.textContent = `This network has ${nodes.length.toLocaleString('en')} nodes, too many to draw.`;
      picture.setAttribute('hidden', '');
      return;
    }
    note.hidden = true;
    picture.removeAttribute('hidden');

    const vertical = narrow();
    const sized = nodes.map((node) => {
      const text = node.kind === 'variable' ? shorten(node.name, 18) : kSigns[node.kind];
      const width = Math.max(node.kind === 'variable' ? 72 : 60, [...text].length * 8.4 + 30, 'assumed' in node ? 96 : 0);
      return {...node, inputs: node.inputs ?? [], width, across: vertical ? width : kHeight};
    });
    const {places, bends, layers, across} = placeNodes(sized, root, vertical ? 14 : 18);
    const drawn = sized.filter(({id}) => places.has(id));
    // The room of a layer is that of its widest node.
    const widths = Array.from({length: layers}, () => 0);
    for (const node of drawn) {
      const {layer} = places.get(node.id);
      widths[layer] = Math.max(widths[layer], vertical ? kHeight : node.width);
    }
    const between = vertical ? 34 : 52;
    const along = [];
    widths.reduce((at, width, layer) => {
      along[layer] = at + width / 2;
      return at + width + between;
    }, 0);
    const length = along.at(-1) + widths.at(-1) / 2;
    const margin = 6;
    const point = ({layer, position}) => (vertical
      ? {x: margin + position, y: margin + length - along[layer]}   // the result is at the top
      : {x: margin + along[layer], y: margin + position});
    const width = (vertical ? across : length) + 2 * margin;
    const height = (vertical ? length : across) + 2 * margin;
    // Small networks are drawn a little larger, large ones are made to fit as long as they can be read.
    const frameWidth = Math.max(room, 200);
    const scale = Math.min(1.15, Math.max(0.72, frameWidth / width));
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.setAttribute('width', Math.round(width * scale));
    picture.setAttribute('height', Math.round(height * scale));
    picture.setAttribute('aria-label', `Network of ${drawn.length} nodes`);

    const keys = new Map();
    for (const node of drawn) {
      keys.set(node.id, intern(node.kind === 'variable' ? `=${node.name}` : `${node.kind}(${node.inputs.map((id) => keys.get(id))})`));
    }
    const next = new Map();
    const delay = (id) => (calm() ? 0 : Math.min(places.get(id).layer * 90, 900));
    for (const node of drawn) {
      const key = keys.get(node.id);
      const made = shown.get(key) ?? makeNode(node);
      const before = made.truth;
      made.to = point(places.get(node.id));
      made.group.style.setProperty('--delay', `${delay(node.id)}ms`);
      dress(made, node, node.id === root);
      made.changed = before !== null && Math.abs(before - node.truth) > 0.01;
      made.truth = node.truth;
      next.set(key, made);
    }
    for (const [key, made] of shown) {
      if (!next.has(key)) made.group.remove();
    }
    // In reading order for the keyboard: as the truth flows.
    nodeLayer.append(...drawn.map(({id}) => next.get(keys.get(id)).group));

    const nextEdges = new Map();
    for (const node of drawn) {
      for (const input of new Set(node.inputs)) {
        const key = `${keys.get(input)}>${keys.get(node.id)}`;
        const made = edges.get(key) ?? {path: svg('path', {class: 'edge'}), flow: svg('path', {class: 'flow', pathLength: '100'})};
        made.from = next.get(keys.get(input));
        made.to = next.get(keys.get(node.id));
        made.bends = bends.get(`${input}>${node.id}`).map(point);
        made.path.style.setProperty('--delay', `${delay(input)}ms`);
        paint(made.path, made.from.truth);
        made.flow.classList.remove('go');
        if (made.from.changed && !calm()) {
          paint(made.flow, made.from.truth);
          made.flow.style.setProperty('--delay', `${delay(input)}ms`);
          requestAnimationFrame(() => made.flow.classList.add('go'));
        }
        if (!made.path.isConnected) edgeLayer.append(made.path, made.flow);
        nextEdges.set(key, made);
      }
    }
    for (const [key, made] of edges) {
      if (nextEdges.has(key)) continue;
      made.path.remove();
      made.flow.remove();
    }
    shown = next;
    edges = nextEdges;
    move(vertical);
    // Of a network that is wider than its frame the result is seen first.
    if (keys.get(root) !== rootKey) {
      rootKey = keys.get(root);
      element.scrollLeft = point(places.get(root)).x * scale - (vertical ? room / 2 : room - 80);
    }
  }

  function place(vertical) {
    for (const made of shown.values()) made.group.setAttribute('transform', `translate(${made.x.toFixed(1)} ${made.y.toFixed(1)})`);
    for (const made of edges.values()) {
      const [a, b] = [made.from, made.to];
      const half = (node) => (vertical ? kHeight / 2 : node.group.node.width / 2);
      const start = vertical ? {x: a.x, y: a.y - half(a)} : {x: a.x + half(a), y: a.y};
      const end = vertical ? {x: b.x, y: b.y + half(b)} : {x: b.x - half(b), y: b.y};
      const path = edgePath([start, ...made.bends, end], vertical);
      made.path.setAttribute('d', path);
      made.flow.setAttribute('d', path);
    }
  }

  function move(vertical) {
    const starts = new Map();
    for (const made of shown.values()) {
      if (made.x === null || calm()) Object.assign(made, made.to);
      starts.set(made, {x: made.x, y: made.y});
    }
    const begin = performance.now();
    const step = (now) => {
      const t = Math.min(1, Math.max(0, (now - begin) / kMoving));
      const eased = 1 - (1 - t) ** 3;
      for (const [made, from] of starts) {
        made.x = from.x + (made.to.x - from.x) * eased;
        made.y = from.y + (made.to.y - from.y) * eased;
      }
      place(vertical);
      if (t < 1) frame = requestAnimationFrame(step);
    };
    const still = [...starts].every(([made, from]) => from.x === made.to.x && from.y === made.to.y);
    if (still) place(vertical);
    else step(begin);
  }

  const watcher = new ResizeObserver(() => {
    if (last && Math.abs(element.clientWidth - room) > 8) {
      for (const made of shown.values()) made.x = null;
      draw(last.nodes, last.root);
    }
  });
  watcher.observe(element);

  return {
    element,
    draw,
    clear() {
      last = null;
      rootKey = null;
      cancelAnimationFrame(frame);
      replace(nodeLayer);
      replace(edgeLayer);
      shown = new Map();
      edges = new Map();
    },
    leave() {
      cancelAnimationFrame(frame);
      watcher.disconnect();
    },
  };
}
