// Look: the vectors on a map, the laws as a table, the training as curves.
import {formatAddress} from '../shell/address.js';
import {h, replace} from '../shell/dom.js';
import {emptyState} from '../shell/states.js';
import {createLaws} from './laws.js';
import {createMap} from './map.js';
import {createTraining} from './training.js';

const parts = {
  map: {name: 'Map', create: createMap, title: 'What the model learned', has: (model) => model.vectors !== false && model.ready,
        lack: ['There are no vectors to see', 'This kind of model learns none. Networks do.']},
  laws: {name: 'Laws', create: createLaws, title: 'Does it obey the laws?', has: (model) => model.audit !== false && model.ready,
         lack: ['There is nothing to audit', 'Only LINN has modules that could obey the laws of logic.']},
  training: {name: 'Training', create: createTraining, title: 'How it was trained', has: () => true},
};

export function createLook(shell, first) {
  let model = first;
  const title = h('h1', {});
  const tabs = h('nav', {class: 'segments', 'aria-label': 'What to look at'});
  const body = h('div', {class: 'look-body'});
  const element = h('div', {class: 'look'}, h('div', {class: 'page-head look-head'}, title, tabs), body);
  const made = new Map();
  let shown = null;
  let last = null;

  function leavePart() {
    made.get(shown)?.leave();
    made.delete(shown);
    shown = null;
  }

  return {
    element,
    show(address) {
      last = address;
      const name = parts[address.part] ? address.part : Object.keys(parts).find((part) => parts[part].has(model));
      const part = parts[name];
      title.textContent = part.title;
      replace(tabs, Object.entries(parts).map(([other, {name: label}]) => h('a', {
        href: formatAddress({view: 'look', model: model.name, part: other}), 'aria-current': other === name ? 'page' : null,
      }, label)));
      if (shown !== name) {
        leavePart();
        shown = name;
        if (!part.has(model)) {
          replace(body, emptyState(...part.lack));
          return;
        }
        made.set(name, part.create(shell, model));
        replace(body, made.get(name).element);
      }
      made.get(name)?.show(address);
    },
    // A better model has another map and other figures; its curves go on by themselves.
    renew(better) {
      model = better;
      if (shown !== 'training') leavePart();
      this.show(last);
    },
    leave() {
      for (const screen of made.values()) screen.leave();
    },
  };
}
