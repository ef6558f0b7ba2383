// Reason: an expression, how true the model thinks it is, and its network with the truth of every part.
import {formatAddress, joinList, splitList} from '../shell/address.js';
import {aborted, get, latest, modelPath, post, queryString} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {icon} from '../shell/icons.js';
import {openMenu} from '../shell/menu.js';
import {errorState} from '../shell/states.js';
import {paint, truthText, truthWord} from '../shell/truth.js';
import {createDrawing} from './drawing.js';
import {createEditor} from './editor.js';
import {namesIn, negate, tokensOf, written} from './names.js';

const kPatience = 450;  // milliseconds without a key before an unfinished expression counts as a mistake

// Expressions over a model's own variables, to begin with.
function examples(names) {
  const [a, b, c, d] = names.map(written);
  if (names.length < 2) return names.length ? [a, `!${a}`] : [];
  if (names.length < 4) return [`${a} & ${b}`, `!${a} | ${b}`, `${a} -> ${b}`];
  return [`(${a} & !${b}) | ${c}`, `${a} & (${b} | !${d})`, `${a} -> ${b}`, `(${a} xor ${b}) & (${c} <-> ${d})`];
}

// Coloured like the variables' truths.
function formElements(text, truths) {
  const parts = [];
  let copied = 0;
  for (const token of tokensOf(text)) {
    parts.push(text.slice(copied, token.start));
    const part = h('span', {class: `tok-${token.kind}`}, token.text);
    if (token.kind === 'name' && truths.has(token.name)) {
      part.classList.add('tok-truth');
      paint(part, truths.get(token.name));
    }
    parts.push(part);
    copied = token.end;
  }
  return [...parts, text.slice(copied)];
}

export function createReason(shell, model) {
  const question = latest();
  let address = null;
  let answer = null;
  let complaint = 0;

  const mistake = h('p', {class: 'mistake', id: 'mistake', role: 'status'});
  const editor = createEditor({model: model.name, input: (text) => edit(text)});
  const drawing = createDrawing({choose: openNodeMenu});

  const figure = h('span', {class: 'verdict-figure figure'});
  const word = h('span', {class: 'verdict-word'});
  const meter = h('div', {class: 'meter', 'aria-hidden': 'true'}, h('i'));
  const verdict = h('section', {class: 'card verdict', 'aria-label': 'Answer'},
      h('div', {class: 'verdict-line'}, figure, word), meter,
      h('p', {class: 'muted small verdict-note'}));
  const form = h('p', {class: 'normal-form code', id: 'normal-form'});
  const formCard = h('section', {class: 'card', 'aria-label': 'Normal form'},
      h('div', {class: 'card-head'}, h('h2', {}, 'Normal form'), h('span', {class: 'muted form-count'})), form);
  const variables = h('ul', {class: 'variables', id: 'variables'});
  const variablesCard = h('section', {class: 'card', 'aria-label': 'Variables'},
      h('div', {class: 'card-head'}, h('h2', {}, 'Variables'),
          h('button', {class: 'link-button small', type: 'button', id: 'release', onclick: () => change({t: '', f: ''})}, 'as learned')), variables);
  const networkCard = h('section', {class: 'card network-card', 'aria-label': 'Network'},
      h('div', {class: 'card-head'}, h('h2', {}, 'Network'),
          h('span', {class: 'muted'}, 'Choose a variable to negate it or to assume its truth')),
      drawing.element,
      h('p', {class: 'legend small muted', 'aria-hidden': 'true'}, h('span', {}, 'false'), h('i', {class: 'scale'}), h('span', {}, 'true')));
  const answers = h('div', {class: 'reason-answers'}, h('div', {class: 'reason-side'}, verdict, formCard, variablesCard), networkCard);
  const start = h('div', {class: 'reason-start', hidden: true});
  const trouble = h('div', {hidden: true});

  const element = h('div', {class: 'reason'},
      h('div', {class: 'page-head'}, h('h1', {}, 'How true is it?')),
      h('section', {class: 'card expression-card'}, editor.element,
          h('div', {class: 'expression-foot'}, mistake,
              h('p', {class: 'muted small', id: 'expression-help'}, h('code', {}, '!'), ' not  ', h('code', {}, '&'), ' and  ', h('code', {}, '|'), ' or  ',
                  h('code', {}, '->'), ' implies  ', h('code', {}, '<->'), ' iff  ', h('code', {}, 'xor')))),
      start, trouble, answers);
  answers.hidden = true;

  const assumed = () => ({t: splitList(address.params.t), f: splitList(address.params.f)});

  // Goes to the address with some parameters changed; typing leaves one step to go back to, not one for every key.
  function change(params, typing = false) {
    const next = {...address, params: {...address.params, ...params}};
    shell.go(next, {replace: typing && history.state === 'typing', state: typing ? 'typing' : null});
  }

  const edit = (text) => change({e: text}, true);

  function assume(name, value) {
    const {t, f} = assumed();
    const without = (names) => names.filter((other) => other !== name);
    const [nowT, nowF] = [without(t), without(f)];
    if (value === true) nowT.push(name);
    if (value === false) nowF.push(name);
    change({t: joinList(nowT), f: joinList(nowF)});
  }

  const flip = (name) => change({e: negate(address.params.e, name)});

  function openNodeMenu(node, box, from) {
    const is = 'assumed' in node ? node.assumed : null;
    openMenu(node.name, [
      {label: 'Negate', mark: 'swap', act: () => flip(node.name)},
      is !== true && {label: 'Assume true', mark: 'yes', act: () => assume(node.name, true)},
      is !== false && {label: 'Assume false', mark: 'no', act: () => assume(node.name, false)},
      is !== null && {label: 'As learned', act: () => assume(node.name, null)},
    ].filter(Boolean), box, from);
  }

  function showVariables(nodes) {
    // In the order of the expression, not in that of the network.
    const order = new Map(namesIn(address.params.e ?? '').map((name, place) => [name, place]));
    const present = nodes.filter(({kind}) => kind === 'variable').sort((a, b) => order.get(a.name) - order.get(b.name));
    const rows = new Map([...variables.children].map((row) => [row.dataset.name, row]));
    replace(variables, present.map((node) => {
      const row = rows.get(node.name) ?? variableRow(node.name);
      const is = 'assumed' in node ? node.assumed : null;
      row.querySelector('.variable-truth').textContent = is === null ? truthText(node.truth) : is ? 'T' : 'F';
      paint(row, node.truth);
      row.classList.toggle('assumed', is !== null);
      for (const button of row.querySelectorAll('[data-value]')) {
        button.setAttribute('aria-pressed', String(String(is) === button.dataset.value));
      }
      return row;
    }));
    document.getElementById('release')?.toggleAttribute('hidden', !present.some((node) => 'assumed' in node));
    variablesCard.hidden = present.length === 0;
  }

  function variableRow(name) {
    const set = (value, label, spoken) => h('button', {type: 'button', 'data-value': String(value), 'aria-pressed': 'false', 'aria-label': spoken, title: spoken,
                                                       onclick: () => assume(name, value)}, label);
    return h('li', {class: 'variable', 'data-name': name},
        h('span', {class: 'variable-name code', title: name}, name),
        h('span', {class: 'variable-truth figure'}),
        h('button', {class: 'icon-button', type: 'button', 'aria-label': `Negate ${name}`, title: 'Negate', onclick: () => flip(name)}, h('span', {class: 'code'}, '¬')),
        h('span', {class: 'segments', role: 'group', 'aria-label': `Truth of ${name}`},
            set(null, '?', `${name} as learned`), set(true, 'T', `Assume that ${name} is true`), set(false, 'F', `Assume that ${name} is false`)));
  }

  function showAnswer(result) {
    answer = result;
    start.hidden = true;
    trouble.hidden = true;
    answers.hidden = false;
    answers.classList.remove('stale');
    showMistake(null);
    paint(verdict, result.probability);
    figure.textContent = result.probability.toFixed(4);
    word.textContent = truthWord(result.probability);
    const {t, f} = assumed();
    const inUse = new Set(result.nodes.filter((node) => 'assumed' in node).map(({name}) => name));
    const given = [...t.filter((name) => inUse.has(name)).map((name) => `${name} = T`), ...f.filter((name) => inUse.has(name)).map((name) => `${name} = F`)];
    verdict.querySelector('.verdict-note').textContent = given.length ? `if ${given.join(' and ')}` : 'as the model has learned it';
    const truths = new Map(result.nodes.filter(({kind}) => kind === 'variable').map((node) => [node.name, node.truth]));
    if (result.normal_form === null) replace(form, 'It has too many parts to write it down.');
    else replace(form, formElements(result.normal_form, truths));
    const gates = result.nodes.filter(({kind}) => ['and', 'or', 'not'].includes(kind)).length;
    formCard.querySelector('.form-count').textContent = `${truths.size} ${truths.size === 1 ? 'variable' : 'variables'}, ${gates} ${gates === 1 ? 'module' : 'modules'}`;
    showVariables(result.nodes);
    drawing.draw(result.nodes, result.root);
    shell.announce(`${truthText(result.probability)}, ${truthWord(result.probability)}`);
  }

  function showMistake(problem) {
    clearTimeout(complaint);
    if (!problem) {
      mistake.textContent = '';
      editor.mark(null);
      return;
    }
    const place = problem.column ? {line: problem.line, column: problem.column} : null;
    const words = problem.message.replace(/^expressions\[0\]: /, '').replace(/^(line \d+, )?(column )?(\d+:)?\d+: /, '');
    const told = place ? `Column ${place.column}${place.line > 1 ? ` of line ${place.line}` : ''}: ${words}` : words;
    complaint = setTimeout(() => {
      mistake.textContent = told;
      editor.mark(place);
      answers.classList.add('stale');
    }, editor.completing || history.state === 'typing' ? kPatience : 0);
  }

  async function showStart() {
    answer = null;
    drawing.clear();
    answers.hidden = true;
    trouble.hidden = true;
    start.hidden = false;
    if (start.childElementCount > 0) return;
    try {
      const {variables: some, total} = await get(`${modelPath(model.name)}/variables${queryString({limit: 4})}`, question.next());
      replace(start, h('div', {class: 'state'},
          h('h2', {}, 'Ask something'),
          h('p', {}, `This model knows ${total.toLocaleString('en')} ${total === 1 ? 'variable' : 'variables'}. Begin with one of these, or type what you like above.`),
          h('ul', {class: 'examples'}, examples(some.map(({name}) => name)).map((text) => h('li', {},
              h('a', {class: 'choice code', href: formatAddress({view: 'reason', model: model.name, params: {e: text}})}, text, icon('arrow')))))));
    } catch (error) {
      if (!aborted(error)) showTrouble(error);
    }
  }

  function showTrouble(error) {
    answers.hidden = true;
    start.hidden = true;
    trouble.hidden = false;
    replace(trouble, errorState(error, () => ask()));
  }

  async function ask() {
    const expression = address.params.e;
    if (!expression?.trim()) {
      question.stop();
      showMistake(null);
      return showStart();
    }
    clearTimeout(complaint);
    const {t, f} = assumed();
    const used = new Set(namesIn(expression));
    const assume = Object.fromEntries([...t.map((name) => [name, true]), ...f.map((name) => [name, false])].filter(([name]) => used.has(name)));
    const body = {expressions: [expression], trace: true};
    if (Object.keys(assume).length > 0) body.assume = assume;
    try {
      const {results} = await post(`${modelPath(model.name)}/query`, body, question.next());
      showAnswer(results[0]);
    } catch (error) {
      if (aborted(error)) return;
      if (error.status === 400) {
        trouble.hidden = true;
        showMistake(error);
        if (!answer) showStart();
      } else {
        showTrouble(error);
      }
    }
  }

  return {
    element,
    show(next) {
      address = next;
      editor.value = next.params.e ?? '';
      ask();
    },
    renew: () => ask(),
    leave() {
      clearTimeout(complaint);
      question.stop();
      editor.leave();
      drawing.leave();
    },
  };
}
