// The frame around the views: navigation, the choice of a model, and which view stands for which address.
import {formatAddress, parseAddress} from './address.js';
import {pause} from './api.js';
import {h, replace} from './dom.js';
import {icon} from './icons.js';
import {describe, fits, loadModels, modelFor} from './models.js';
import {commandLine, emptyState, errorState, loadingState} from './states.js';
import {themeSwitch} from './theme.js';
import {createLook} from '../look/view.js';
import {createReason} from '../reason/view.js';
import {createRecommend} from '../recommend/view.js';
import {createTry} from '../try/view.js';

const views = {
  reason: {name: 'Reason', create: createReason, lack: 'No model here reasons about equations.',
           command: 'linn train equations --data DATA --out RUN\nlinn serve RUN'},
  recommend: {name: 'Recommend', create: createRecommend, lack: 'No model here recommends.',
              command: 'linn train recommend --data DATA --out RUN\nlinn serve RUN'},
  look: {name: 'Look', create: createLook},
  try: {name: 'Try', create: createTry},
};

const main = h('main', {id: 'main', tabindex: '-1'});
const live = h('div', {class: 'unseen', 'aria-live': 'polite', id: 'live'});
const links = Object.fromEntries(Object.entries(views).map(([view, {name}]) =>
    [view, h('a', {class: 'nav-link', href: `#/${view}`, 'data-view': view}, icon(view), h('span', {}, name))]));
const picker = h('select', {class: 'model-picker', 'aria-label': 'Model', id: 'model'});
const modelFacts = h('span', {class: 'model-facts', id: 'model-facts'});

let models = [];
let shown = null;        // {view, model, version, screen}
let visited = {};        // view → the last address there
let waiting = null;      // for a model that is not ready

const shell = {
  // Goes to an address; with `replace` the one before cannot be come back to.
  go(address, {replace: instead = false, state = null} = {}) {
    const hash = formatAddress(address);
    if (hash === location.hash) return;
    if (instead) history.replaceState(state, '', hash);
    else history.pushState(state, '', hash);
    route();
  },
  get models() {
    return models;
  },
  announce(text) {
    clearTimeout(shell.timer);
    shell.timer = setTimeout(() => { live.textContent = text; }, 500);
  },
};

function showState(state, title) {
  shown?.screen?.leave();
  shown = null;
  replace(main, h('div', {class: 'page'}, state));
  document.title = `${title} · linn`;
}

function fillPicker(current) {
  const group = (task, label) => {
    const some = models.filter((model) => model.task === task);
    return some.length > 0 && h('optgroup', {label}, some.map((model) => h('option', {value: model.name}, model.name)));
  };
  replace(picker, group('equations', 'Equations'), group('recommend', 'Recommendation'));
  if (current) picker.value = current.name;
  else picker.selectedIndex = -1;
  replace(modelFacts, current?.training && h('span', {class: 'pulse', title: 'Training is under way'}),
      current ? describe(current) : '');
  picker.title = current ? describe(current) : '';
}

function pointLinks(address, model) {
  for (const [view, link] of Object.entries(links)) {
    const own = view === address.view;
    link.toggleAttribute('data-current', own);
    if (own) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    let target = {view, model: modelFor(view, models, model?.name)?.name ?? ''};
    if (own) target = address;
    else if (view === 'try') target = {...address, view, part: address.view};
    else if (visited[view] && (visited[view].model === model?.name || !(model && fits(view, model)))) target = visited[view];
    link.href = formatAddress(target);
  }
}

function noSuchModel(name) {
  return emptyState(`There is no model called “${name}” here`, 'This server has these:',
      h('ul', {class: 'choices'}, models.map((model) => h('li', {},
          h('a', {class: 'choice', href: formatAddress({view: model.task === 'equations' ? 'reason' : 'recommend', model: model.name})},
              h('strong', {}, model.name), h('span', {class: 'muted'}, describe(model)))))));
}

async function waitForModel(name) {
  waiting?.abort();
  waiting = new AbortController();
  const {signal} = waiting;
  try {
    while (models.some((model) => model.name === name && !model.ready)) {
      await pause(2000, signal);
      models = await loadModels();
    }
    route();
  } catch (error) {
    if (error?.name !== 'AbortError') showState(errorState(error, start), 'Error');
  }
}

function route() {
  waiting?.abort();
  let address = parseAddress(location.hash);
  if (!address.view) {
    const first = models[0];
    address = {...address, view: first?.task === 'recommend' ? 'recommend' : 'reason', model: first?.name ?? ''};
    history.replaceState(null, '', formatAddress(address));
  }
  const view = views[address.view];
  if (!view) {
    fillPicker(null);
    pointLinks({view: ''}, null);
    return showState(emptyState('There is nothing at this address', `No view is called “${address.view}”.`,
        h('a', {class: 'button primary', href: '#/'}, 'Go to the beginning')), 'Nothing here');
  }
  if (address.model && !models.some((model) => model.name === address.model)) {
    fillPicker(null);
    pointLinks(address, null);
    return showState(noSuchModel(address.model), 'No such model');
  }
  const model = modelFor(address.view, models, address.model);
  if (model && address.model !== model.name) {
    // The address names none, or one for another view.
    address = {...address, model: model.name, params: address.model ? {} : address.params};
    history.replaceState(history.state, '', formatAddress(address));
  }
  fillPicker(model);
  pointLinks(address, model);
  if (!model) {
    return showState(emptyState(view.lack ?? 'This server has no model', 'Train one, and serve it:', commandLine(view.command ?? 'linn serve RUN')),
        view.name);
  }
  if (!model.ready) {
    showState(emptyState(`${model.name} is learning`, 'Its training has just begun. It can be asked once the first epoch is done; this page notices.',
        h('div', {class: 'state-mark busy', 'aria-hidden': 'true'}),
        h('a', {class: 'button', href: formatAddress({view: 'look', model: model.name, part: 'training'})}, 'Watch the training')), model.name);
    if (address.view !== 'look' || address.part !== 'training') return void waitForModel(model.name);
  }

  visited[address.view] = address;
  const moved = shown?.view !== address.view;
  if (moved || shown.model !== model.name) {
    shown?.screen.leave();
    const screen = view.create(shell, model);
    shown = {view: address.view, model: model.name, version: model.version, screen};
    replace(main, h('div', {class: `page view-${address.view}`}, screen.element));
  }
  document.title = `${view.name} · ${model.name} · linn`;
  if (shown.version === model.version) {
    shown.screen.show(address);
  } else {
    shown.version = model.version;
    shown.screen.renew?.(model);  // the same question to a better model
  }
  if (moved) scrollTo(0, 0);
}

picker.addEventListener('change', () => {
  const model = models.find(({name}) => name === picker.value);
  const address = parseAddress(location.hash);
  const view = address.view !== 'try' && fits(address.view, model) ? address.view : model.task === 'equations' ? 'reason' : 'recommend';
  shell.go({view, model: model.name, part: address.view === view ? address.part : ''});
});

// Models may be swapped for better ones, and trainings may end, while the page is open.
async function watchModels() {
  for (;;) {
    await pause(5000);
    if (document.hidden) continue;
    try {
      const now = await loadModels();
      if (JSON.stringify(now) === JSON.stringify(models)) continue;
      models = now;
      route();
    } catch {
      // The view says so when it asks something.
    }
  }
}

async function start() {
  showState(loadingState('Looking for models'), 'linn');
  try {
    models = await loadModels();
  } catch (error) {
    showState(errorState(error, start), 'Error');
    return;
  }
  addEventListener('popstate', route);
  route();
  watchModels();
}

document.getElementById('shell').replaceWith(
    h('header', {class: 'top'},
        h('a', {class: 'brand', href: '#/', 'aria-label': 'linn, to the beginning'},
            h('img', {src: 'icon.svg', alt: '', width: '26', height: '26'}), h('span', {}, 'linn')),
        h('nav', {'aria-label': 'Views', class: 'nav'}, Object.values(links)),
        h('div', {class: 'top-end'}, modelFacts, picker, themeSwitch())),
    main, live);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();  // the fragment is the address of the view
  main.focus();
});
start();
