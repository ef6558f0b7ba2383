// What stands where there is nothing to show: yet, at all, or because something went wrong.
import {h} from './dom.js';
import {icon} from './icons.js';

export function emptyState(title, text, ...more) {
  return h('div', {class: 'state'}, h('h2', {}, title), text && h('p', {}, text), ...more);
}

export function errorState(problem, retry) {
  const [title, text] = problem.unreachable
      ? ['The server does not answer', 'It may have been stopped, or it is being started again.']
      : ['That did not work', problem.message];
  return h('div', {class: 'state error', role: 'alert'},
      h('div', {class: 'state-mark'}, icon('warn')),
      h('h2', {}, title), h('p', {}, text),
      retry && h('button', {class: 'button', type: 'button', onclick: retry}, 'Try again'));
}

// Grey bars in the place of what is coming. `words` are read out, and shown if `told`.
export function loadingState(words, {rows = 5, told = false} = {}) {
  const bars = Array.from({length: rows}, () => h('div', {class: 'skeleton'}));
  return h('div', {class: 'loading', role: 'status'},
      h('p', {class: told ? 'muted' : 'unseen'}, words),
      h('div', {'aria-hidden': 'true'}, bars));
}

export function commandLine(text) {
  return h('pre', {class: 'command'}, h('code', {}, text));
}
