// The audit: how well the modules obey each law of logic, over variables and over whole expressions.
import {aborted, getMade, latest, modelPath} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {errorState, loadingState} from '../shell/states.js';

const columns = [
  {key: 'agreement', name: 'agree', told: 'share of cases in which both sides are true or both are false', good: (value) => value},
  {key: 'similarity', name: 'sim', told: 'mean similarity of the vectors of both sides'},
  {key: 'difference', name: '|dp|', told: 'mean difference between the probabilities of both sides'},
];

function cells(figures) {
  return columns.map(({key, good}) => {
    if (!figures) return h('td', {class: 'figure none', role: 'cell'}, '–');
    const value = figures[key];
    if (!good) return h('td', {class: 'figure', role: 'cell'}, value.toFixed(3));
    const bar = h('span', {class: 'law-bar', 'aria-hidden': 'true'}, h('i', {}));
    bar.style.setProperty('--truth', String(value));
    bar.classList.toggle('poor', value < 0.9);
    return h('td', {class: 'figure agree', role: 'cell'}, bar, value.toFixed(3));
  });
}

function row(law) {
  return h('tr', {role: 'row'},
      h('th', {scope: 'row', role: 'rowheader'}, h('span', {class: 'law-name'}, law.law), h('span', {class: 'code law-sides'}, `${law.left} ${law.differ ? '≠' : '='} ${law.right}`)),
      cells(law.variables), cells(law.expressions));
}

function table(audit) {
  const heads = () => columns.map(({name, told}) => h('th', {scope: 'col', role: 'columnheader', title: told}, name));
  const group = (title, laws) => laws.length > 0 && h('tbody', {role: 'rowgroup'},
      h('tr', {role: 'row', class: 'law-group'}, h('th', {colspan: '7', scope: 'rowgroup', role: 'rowheader'}, title)), laws.map(row));
  return h('table', {class: 'laws', role: 'table', id: 'laws'},
      h('caption', {class: 'unseen'}, 'How well the modules obey the laws of logic'),
      h('thead', {role: 'rowgroup'},
          h('tr', {role: 'row'}, h('td', {role: 'cell'}), h('th', {colspan: '3', scope: 'colgroup', role: 'columnheader'}, `over ${audit.variables.toLocaleString('en')} vectors`),
              h('th', {colspan: '3', scope: 'colgroup', role: 'columnheader'}, audit.expressions ? `over ${audit.expressions.toLocaleString('en')} expressions` : 'over expressions')),
          h('tr', {role: 'row'}, h('th', {scope: 'col', role: 'columnheader', class: 'law-head'}, 'law'), heads(), heads())),
      group('Taught in training', audit.laws.filter(({taught}) => taught)),
      group('Never taught', audit.laws.filter(({taught}) => !taught)));
}

export function createLaws(shell, model) {
  const question = latest();
  const element = h('div', {class: 'card laws-card'});
  let loaded = false;

  async function load() {
    loaded = true;
    replace(element, loadingState('The laws are being tried on this model. That takes a few seconds, once.', {rows: 9, told: true}));
    try {
      const audit = await getMade(`${modelPath(model.name)}/audit`, question.next());
      replace(element, h('div', {class: 'card-head'}, h('h2', {}, 'The laws of logic')),
          h('p', {class: 'muted laws-note'}, 'Both sides of every law are built from the modules as written. ', h('strong', {}, 'agree'), ' is the share of cases in which both sides are true or both are false (for ≠: exactly one), ',
              h('strong', {}, 'sim'), ' the similarity of their vectors, ', h('strong', {}, '|dp|'), ' the difference of their probabilities.'),
          h('div', {class: 'laws-frame'}, table(audit)));
      shell.announce(`${audit.laws.length} laws`);
    } catch (error) {
      loaded = false;
      if (!aborted(error)) replace(element, errorState(error, load));
    }
  }

  return {
    element,
    show() {
      if (!loaded) load();
    },
    leave: () => question.stop(),
  };
}
