// Offers the names of variables that begin like, or contain, what is being written.
import {aborted, get, latest, modelPath, queryString} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {paint, truthText} from '../shell/truth.js';
import {nameAt, written} from './names.js';

const kOffered = 8;

export function createCompletion({field, frame, model, changed}) {
  const list = h('ul', {class: 'options completions', id: 'completions', role: 'listbox', 'aria-label': 'Variables', hidden: true});
  const question = latest();
  let offered = [];
  let active = -1;
  let place = null;

  function close() {
    question.stop();
    list.hidden = true;
    offered = [];
    active = -1;
    field.setAttribute('aria-expanded', 'false');
    field.removeAttribute('aria-activedescendant');
  }

  function activate(index) {
    active = index;
    [...list.children].forEach((option, i) => {
      option.classList.toggle('active', i === index);
      option.setAttribute('aria-selected', String(i === index));
    });
    if (index >= 0) {
      field.setAttribute('aria-activedescendant', list.children[index].id);
      list.children[index].scrollIntoView({block: 'nearest'});
    } else {
      field.removeAttribute('aria-activedescendant');
    }
  }

  function accept(index) {
    const name = written(offered[index].name);
    field.setRangeText(name, place.start, place.end, 'end');
    close();
    field.focus();
    changed();
  }

  function show(variables) {
    offered = variables;
    replace(list, offered.map(({name, probability}, i) => {
      const figure = h('span', {class: 'option-truth figure'}, truthText(probability));
      paint(figure, probability);
      return h('li', {class: 'option', role: 'option', id: `completion-${i}`, 'aria-selected': 'false', onpointerdown: (event) => {
        event.preventDefault();
        accept(i);
      }}, h('span', {class: 'option-name code'}, name), figure);
    }));
    list.hidden = false;
    field.setAttribute('aria-expanded', 'true');
    activate(0);
    // Below the name, as far as there is room.
    const mirror = frame.querySelector('.expression-colours');
    const range = document.createRange();
    range.selectNodeContents(mirror);
    const walker = document.createTreeWalker(mirror, NodeFilter.SHOW_TEXT);
    let left = place.start;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.length) {
        range.setStart(node, left);
        range.setEnd(node, Math.min(node.length, left + 1));
        break;
      }
      left -= node.length;
    }
    const outer = frame.getBoundingClientRect();
    const at = range.getBoundingClientRect();
    list.style.left = `${Math.max(0, Math.min(at.left - outer.left - 14, outer.width - list.offsetWidth))}px`;
    list.style.top = `${at.bottom - outer.top + 8}px`;
  }

  async function offer() {
    place = field.selectionStart === field.selectionEnd ? nameAt(field.value, field.selectionStart) : null;
    if (!place || (!place.prefix && !place.quoted)) return close();
    try {
      const {variables} = await get(`${modelPath(model)}/variables${queryString({q: place.prefix, limit: kOffered})}`, question.next());
      const written = place.prefix === variables[0]?.name;
      if (variables.length === 0 || (written && variables.length === 1)) return close();
      show(variables);
      if (written) activate(-1);
    } catch (error) {
      if (!aborted(error)) close();
    }
  }

  field.addEventListener('blur', close);

  return {
    element: list,
    offer,
    close,
    leave: () => question.stop(),
    get open() {
      return !list.hidden;
    },
    // Returns whether the key was for the list.
    key(event) {
      if (list.hidden) return false;
      const move = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (move) {
        activate((active + move + offered.length) % offered.length);
      } else if ((event.key === 'Enter' || event.key === 'Tab') && active >= 0 && !event.shiftKey) {
        accept(active);
      } else if (event.key === 'Escape') {
        close();
      } else {
        return false;
      }
      event.preventDefault();
      return true;
    },
  };
}
