// Places the nodes of a network in layers: the result in the last one, everything else one layer before what first needs
// it. Edges that cross layers get invisible nodes, orders are chosen for few crossings (barycentres), and places across
// the layers are the least squares distance to neighbours that keeps order and gaps (isotonic regression).

const kSweeps = 8;
const kRelaxations = 24;

// `nodes` are {id, inputs, across}: `across` is the room that a node takes across the layers. Returns the places
// {layer, position} by id, the points between for edges "from>to", the number of layers and the room across.
export function placeNodes(nodes, root, gap) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const depth = new Map([[root, 0]]);
  // Inputs stand before their users in `nodes`, so the other way round every user is done before its inputs.
  for (const node of [...nodes].reverse()) {
    if (!depth.has(node.id)) continue;
    for (const input of node.inputs) depth.set(input, Math.max(depth.get(input) ?? 0, depth.get(node.id) + 1));
  }
  const layers = Math.max(...depth.values()) + 1;
  const columns = Array.from({length: layers}, () => []);
  const slots = new Map();
  const slot = (id, layer, across) => {
    const made = {id, layer, across, before: [], after: [], position: 0};
    slots.set(id, made);
    columns[layer].push(made);
    return made;
  };

  // Depth first from the result, so that a tree has no crossing to begin with.
  const visit = (id) => {
    if (slots.has(id)) return slots.get(id);
    const node = byId.get(id);
    const made = slot(id, layers - 1 - depth.get(id), node.across);
    for (const input of new Set(node.inputs)) {
      let near = made;
      for (let layer = made.layer - 1; layer > layers - 1 - depth.get(input); --layer) {
        const between = slot(`${input}>${id}@${layer}`, layer, gap / 2);
        join(between, near);
        near = between;
      }
      join(visit(input), near);
    }
    return made;
  };
  const join = (from, to) => {
    from.after.push(to);
    to.before.push(from);
  };
  visit(root);

  order(columns);
  spread(columns, gap);

  const low = Math.min(...[...slots.values()].map(({position, across}) => position - across / 2));
  const high = Math.max(...[...slots.values()].map(({position, across}) => position + across / 2));
  for (const made of slots.values()) made.position -= low;
  const places = new Map();
  const bends = new Map();
  for (const [id, made] of slots) {
    if (byId.has(id)) places.set(id, {layer: made.layer, position: made.position});
  }
  for (const node of nodes) {
    if (!places.has(node.id)) continue;
    for (const input of new Set(node.inputs)) {
      const points = [];
      for (let layer = places.get(input).layer + 1; layer < places.get(node.id).layer; ++layer) {
        points.push({layer, position: slots.get(`${input}>${node.id}@${layer}`).position});
      }
      bends.set(`${input}>${node.id}`, points);
    }
  }
  return {places, bends, layers, across: high - low};
}

function crossings(columns) {
  let count = 0;
  for (let layer = 0; layer + 1 < columns.length; ++layer) {
    const rank = new Map(columns[layer + 1].map((made, i) => [made, i]));
    const ends = columns[layer].flatMap((made) => made.after.map((to) => rank.get(to)).sort((a, b) => a - b));
    for (let i = 0; i < ends.length; ++i) {
      for (let j = i + 1; j < ends.length; ++j) count += ends[i] > ends[j] ? 1 : 0;
    }
  }
  return count;
}

function order(columns) {
  let best = columns.map((column) => [...column]);
  let fewest = crossings(columns);
  for (let sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
    const forward = sweep % 2 === 0;
    for (let k = 1; k < columns.length; ++k) {
      const layer = forward ? k : columns.length - 1 - k;
      const beside = columns[forward ? layer - 1 : layer + 1];
      const rank = new Map(beside.map((made, i) => [made, i]));
      const barycentre = new Map(columns[layer].map((made, i) => {
        const neighbours = forward ? made.before : made.after;
        return [made, neighbours.length ? neighbours.reduce((sum, other) => sum + rank.get(other), 0) / neighbours.length : i];
      }));
      columns[layer].sort((a, b) => barycentre.get(a) - barycentre.get(b));
    }
    const now = crossings(columns);
    if (now < fewest) {
      fewest = now;
      best = columns.map((column) => [...column]);
    }
  }
  columns.forEach((column, layer) => column.splice(0, column.length, ...best[layer]));
}

function spread(columns, gap) {
  for (const column of columns) {
    let at = 0;
    for (const made of column) {
      made.position = at + made.across / 2;
      at += made.across + gap;
    }
  }
  for (let round = 0; round < kRelaxations; ++round) {
    const layers = round % 2 === 0 ? columns : [...columns].reverse();
    for (const column of layers) {
      settle(column, column.map((made) => {
        const neighbours = [...made.before, ...made.after];
        return neighbours.length ? neighbours.reduce((sum, other) => sum + other.position, 0) / neighbours.length : made.position;
      }), gap);
    }
  }
}

// The places nearest to the wished ones that keep order and gaps: pool adjacent violators.
function settle(column, wished, gap) {
  let offset = 0;
  const offsets = column.map((made, i) => {
    if (i > 0) offset += (column[i - 1].across + made.across) / 2 + gap;
    return offset;
  });
  const pools = [];
  wished.forEach((wish, i) => {
    let pool = {sum: wish - offsets[i], count: 1};
    while (pools.length && pools.at(-1).sum / pools.at(-1).count > pool.sum / pool.count) {
      const former = pools.pop();
      pool = {sum: pool.sum + former.sum, count: pool.count + former.count};
    }
    pools.push(pool);
  });
  let i = 0;
  for (const {sum, count} of pools) {
    for (let k = 0; k < count; ++k, ++i) column[i].position = sum / count + offsets[i];
  }
}
