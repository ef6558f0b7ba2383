// What a view asks of the service, as requests that others can send.
import {splitList} from '../shell/address.js';
import {modelPath, queryString} from '../shell/api.js';
import {parseHistory} from '../recommend/history.js';
import {namesIn} from '../reason/names.js';

const made = {
  reason(path, {e, t, f}) {
    if (!e?.trim()) {
      return [
        {title: 'Variables and how true they are', method: 'GET', path: `${path}/variables${queryString({limit: 5})}`},
        {title: 'How true an expression is', method: 'POST', path: `${path}/query`, body: {expressions: ['EXPRESSION']}, waiting: 'Type an expression in Reason, and it stands here.'},
      ];
    }
    const used = new Set(namesIn(e));
    const assume = Object.fromEntries([...splitList(t).map((name) => [name, true]), ...splitList(f).map((name) => [name, false])].filter(([name]) => used.has(name)));
    const given = Object.keys(assume).length > 0 ? {assume} : {};
    return [
      {title: 'How true the expression is', method: 'POST', path: `${path}/query`, body: {expressions: [e], ...given}, pick: ['results', 0, 'probability']},
      {title: 'With the truth of every node of its network', method: 'POST', path: `${path}/query`, body: {expressions: [e], ...given, trace: true}, pick: ['results', 0, 'nodes']},
    ];
  },
  recommend(path, {h, off, item}) {
    const away = splitList(off);
    const history = parseHistory(h).filter((event) => !away.includes(event.item));
    const some = [{title: 'What comes next, and why', method: 'POST', path: `${path}/recommend`, body: {history, n: 10, explain: true, ...(away.length ? {exclude: away} : {})}, pick: ['items']}];
    if (item) {
      some.push({title: 'Why this item, or why not', method: 'POST', path: `${path}/explain`, body: {history, item}, pick: ['words']});
      some.push({title: 'Items like this one', method: 'GET', path: `${path}/similar${queryString({item, limit: 8})}`, pick: ['items']});
    }
    some.push({title: 'Items by their titles', method: 'GET', path: `${path}/items${queryString({q: '', limit: 5})}`, pick: ['items']});
    return some;
  },
  look(path, params, model) {
    return [
      model.vectors !== false && {title: 'The vectors in two dimensions', method: 'GET', path: `${path}/projection`, quiet: true},
      model.audit !== false && {title: 'How well each law is obeyed', method: 'GET', path: `${path}/audit`, pick: ['laws'], quiet: true},
      {title: 'Every epoch of the training', method: 'GET', path: `${path}/epochs`, pick: ['epochs']},
    ].filter(Boolean);
  },
};

export function requestsOf(view, model, params) {
  return made[view](modelPath(model.name), params, model);
}
