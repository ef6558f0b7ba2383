// Try: what the view before asks of the service, as curl and Python, and what it answers.
import {formatAddress} from '../shell/address.js';
import {aborted, get, latest, post} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {icon} from '../shell/icons.js';
import {currentToken} from '../shell/token.js';
import {curlOf, pythonOf} from './code.js';
import {requestsOf} from './requests.js';

const kMostLines = 40;
const languages = {curl: {name: 'curl', of: curlOf}, python: {name: 'Python', of: pythonOf}};
const titles = {reason: 'Reason', recommend: 'Recommend', look: 'Look'};

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the right to write to the clipboard: by way of a selection.
    const field = h('textarea', {class: 'unseen', 'aria-hidden': 'true'}, text);
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
  replace(button, icon('check'), 'Copied');
  setTimeout(() => replace(button, icon('copy'), 'Copy'), 1600);
}

function shortened(value) {
  const lines = JSON.stringify(value, null, 2).split('\n');
  return lines.length > kMostLines ? [...lines.slice(0, kMostLines), `… ${(lines.length - kMostLines).toLocaleString('en')} more lines`].join('\n') : lines.join('\n');
}

export function createTry(shell, model) {
  const title = h('h1', {}, 'Ask it from a program');
  const tabs = h('nav', {class: 'segments', 'aria-label': 'Language'});
  const lead = h('p', {class: 'muted try-lead'});
  const body = h('div', {class: 'requests'});
  const element = h('div', {class: 'try'}, h('div', {class: 'page-head look-head'}, title, tabs), lead, body);
  const questions = [];

  function answerOf(request) {
    const place = h('div', {class: 'answer'});
    const question = latest();
    questions.push(question);
    const ask = async () => {
      const begin = performance.now();
      try {
        const value = request.method === 'POST' ? await post(request.path, request.body, question.next()) : await get(request.path, question.next());
        const took = Math.max(1, Math.round(performance.now() - begin));
        replace(place, h('div', {class: 'code-head'}, h('span', {class: 'muted small'}, `the answer, after ${took} ms`)),
            h('pre', {class: 'code-block answer-block', tabindex: '0', 'aria-label': 'Answer'}, h('code', {}, shortened(value))));
      } catch (error) {
        if (!aborted(error)) replace(place, h('p', {class: 'mistake'}, error.message));
      }
    };
    if (request.waiting) replace(place, h('p', {class: 'muted small'}, request.waiting));
    else if (request.quiet) replace(place, h('button', {class: 'button', type: 'button', onclick: ask}, 'Show the answer'));
    else ask();
    return place;
  }

  return {
    element,
    show(address) {
      for (const question of questions.splice(0)) question.stop();
      const view = titles[address.part] && (address.part === 'look' || (address.part === 'reason') === (model.task === 'equations')) ? address.part
        : model.task === 'equations' ? 'reason' : 'recommend';
      const language = languages[address.params.in] ? address.params.in : 'curl';
      const token = currentToken() !== null;
      replace(tabs, Object.entries(languages).map(([key, {name}]) => h('a', {
        href: formatAddress({...address, params: {...address.params, in: key === 'curl' ? '' : key}}), 'aria-current': key === language ? 'true' : null,
      }, name)));
      const back = {...address, view, part: ''};
      replace(lead, 'These are the requests behind ', h('a', {href: formatAddress({...back, params: {...address.params, in: ''}})}, titles[view]),
          ' as you left it. All of them, with every field: ', h('a', {href: 'openapi.json'}, 'openapi.json'), '.', token && ' The token is taken from the environment variable TOKEN.');
      replace(body, requestsOf(view, model, address.params).map((request) => {
        const text = languages[language].of(request, token);
        const button = h('button', {class: 'button copy', type: 'button', onclick: () => copy(text, button)}, icon('copy'), 'Copy');
        return h('section', {class: 'card request', 'aria-label': request.title},
            h('div', {class: 'card-head'}, h('h2', {}, request.title), button),
            h('pre', {class: 'code-block', tabindex: '0', 'aria-label': languages[language].name}, h('code', {'data-language': language}, text)), answerOf(request));
      }));
    },
    leave() {
      for (const question of questions) question.stop();
    },
  };
}
