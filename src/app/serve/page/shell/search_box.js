// A field that searches as one types, with its hits in a list below it.
import {aborted, latest} from './api.js';
import {freshId, h, replace} from './dom.js';
import {icon} from './icons.js';

// `find(text, signal)` resolves to hits, `present(hit)` gives an option's content and its spoken `label`, and
// `choose(hit, event)` is called for the one that is taken; `more(hits)` may give a line below them.
export function searchBox({id, label, placeholder, find, present, choose, note, keepOpen = false}) {
  const listId = freshId('options');
  const field = h('input', {class: 'field', type: 'search', id, role: 'combobox', autocomplete: 'off', spellcheck: 'false', 'aria-label': label, placeholder,
                            'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': listId});
  const list = h('ul', {class: 'options', id: listId, role: 'listbox', 'aria-label': label, hidden: true});
  const element = h('div', {class: 'search'}, icon('search'), field, list);
  const question = latest();
  let hits = [];
  let active = -1;

  const options = () => [...list.querySelectorAll('[role=option]')];

  function close() {
    question.stop();
    list.hidden = true;
    active = -1;
    field.setAttribute('aria-expanded', 'false');
    field.removeAttribute('aria-activedescendant');
  }

  function activate(index) {
    active = index;
    options().forEach((option, i) => {
      option.classList.toggle('active', i === index);
      option.setAttribute('aria-selected', String(i === index));
      if (i === index) option.scrollIntoView({block: 'nearest'});
    });
    if (index >= 0) field.setAttribute('aria-activedescendant', `${listId}-${index}`);
    else field.removeAttribute('aria-activedescendant');
  }

  function take(index, event) {
    const hit = hits[index];
    if (!hit) return;
    choose(hit, event);
    if (keepOpen) {
      field.select();
      ask();
    } else {
      field.value = '';
      close();
    }
  }

  function show(found) {
    const before = active;
    hits = found;
    const rows = hits.map((hit, i) => {
      const {label: spoken, content} = present(hit);
      return h('li', {class: 'option', role: 'option', id: `${listId}-${i}`, 'aria-selected': 'false', 'aria-label': spoken,
                      onpointerdown: (event) => event.preventDefault(), onclick: (event) => take(i, event)}, content);
    });
    const below = hits.length === 0 ? 'Nothing has that in its name.' : note?.(hits);
    replace(list, rows, below && h('li', {class: 'options-note', role: 'presentation'}, below));
    list.hidden = false;
    field.setAttribute('aria-expanded', 'true');
    activate(hits.length > 0 ? Math.min(Math.max(before, 0), hits.length - 1) : -1);
  }

  async function ask() {
    try {
      show(await find(field.value.trim(), question.next()));
    } catch (error) {
      if (aborted(error)) return;
      hits = [];
      replace(list, h('li', {class: 'options-note', role: 'presentation'}, error.message));
      list.hidden = false;
    }
  }

  field.addEventListener('input', () => {
    active = 0;
    ask();
  });
  field.addEventListener('focus', () => ask());
  field.addEventListener('blur', close);
  field.addEventListener('keydown', (event) => {
    const count = hits.length;
    if (event.key === 'Escape') {
      if (list.hidden) return;
      close();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (list.hidden) ask();
      else if (count) activate((active + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (event.key === 'Enter') {
      if (!list.hidden) take(active, event);
    } else {
      return;
    }
    event.preventDefault();
  });

  return {element, field, close, refresh: () => list.hidden || ask(), leave: () => question.stop()};
}

// The text with what was searched for marked.
export function withMark(text, searched) {
  const at = searched ? text.toLowerCase().indexOf(searched.toLowerCase()) : -1;
  if (at < 0) return text;
  return [text.slice(0, at), h('mark', {}, text.slice(at, at + searched.length)), text.slice(at + searched.length)];
}
