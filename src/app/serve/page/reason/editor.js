// The field for an expression: grows with its text, colours its parts, marks a mistake where it is, and completes names.
import {h, replace} from '../shell/dom.js';
import {createCompletion} from './completion.js';
import {offsetOf, tokensOf} from './names.js';

export function createEditor({model, input}) {
  const coloured = h('div', {class: 'expression-colours', 'aria-hidden': 'true'});
  const field = h('textarea', {class: 'expression-field', id: 'expression', rows: '1', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', autocorrect: 'off',
                               'aria-label': 'Expression', 'aria-describedby': 'mistake expression-help', placeholder: 'such as (a & !b) | c',
                               role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': 'completions', 'aria-haspopup': 'listbox'});
  const frame = h('div', {class: 'expression-frame'}, coloured, field);
  let mistake = null;   // {line, column}

  function colour() {
    const text = field.value;
    const at = mistake ? Math.min(offsetOf(text, mistake.line, mistake.column), text.length) : -1;
    const parts = [];
    let copied = 0;
    let marked = at < 0;
    const plain = (end) => {
      if (!marked && at >= copied && at < end) {
        marked = true;
        parts.push(text.slice(copied, at), h('span', {class: 'mistake-mark'}, [...text.slice(at)][0]),
            text.slice(at + [...text.slice(at)][0].length, end));
      } else {
        parts.push(text.slice(copied, end));
      }
      copied = end;
    };
    for (const token of tokensOf(text)) {
      plain(token.start);
      const wrong = !marked && at >= token.start && at < token.end;
      if (wrong) marked = true;
      parts.push(h('span', {class: `tok-${token.kind}${wrong ? ' mistake-mark' : ''}`}, token.text));
      copied = token.end;
    }
    plain(text.length);
    if (!marked) parts.push(h('span', {class: 'mistake-mark'}, ' '));
    replace(coloured, parts, '\u200b');
  }

  function changed() {
    mistake = null;
    colour();
    input(field.value);
  }

  const completion = createCompletion({field, frame, model, changed});
  frame.append(completion.element);
  field.addEventListener('input', () => {
    changed();
    completion.offer();
  });
  field.addEventListener('scroll', () => { coloured.scrollTop = field.scrollTop; });
  field.addEventListener('keydown', (event) => {
    if (completion.key(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) event.preventDefault();
  });

  return {
    element: frame,
    field,
    get value() {
      return field.value;
    },
    set value(text) {
      if (field.value === text) return;
      field.value = text;
      mistake = null;
      completion.close();
      colour();
    },
    mark(place) {
      mistake = place;
      field.setAttribute('aria-invalid', String(Boolean(place)));
      colour();
    },
    // Whether a name is being completed, so that it may well be unfinished.
    get completing() {
      return completion.open;
    },
    leave: completion.leave,
  };
}
