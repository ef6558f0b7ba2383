// The curves of a training. One that is under way is asked about again and again, so its curves grow.
import {aborted, get, latest, modelPath, pause, queryString} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {emptyState, errorState, loadingState} from '../shell/states.js';
import {chart, figureText} from './chart.js';

const kAgain = 1500;  // milliseconds between looks at a training that is under way
const kNames = {
  accuracy: 'Accuracy', rmse: 'RMSE', log_loss: 'Log loss', calibration_error: 'Calibration error', mrr: 'MRR', auc: 'AUC', loss: 'Loss', laws: 'Laws', length: 'Length of vectors',
  label_noise: 'Label noise', variable_norm: 'Norm of vectors', 'ndcg@10': 'nDCG@10', 'hit@1': 'Hit@1', 'hit@10': 'Hit@10', seconds: 'Seconds per epoch', loss_per_target: 'Loss per target',
};
const kFirst = ['ndcg@10', 'accuracy', 'loss', 'loss_per_target', 'hit@10', 'log_loss', 'mrr', 'rmse', 'hit@1', 'auc', 'calibration_error', 'laws', 'length', 'label_noise', 'seconds'];
const kNoFigures = new Set(['epoch', 'count', 'candidates', 'left_out', 'standard_error']);

const sum = (value) => (Array.isArray(value) ? value.reduce((total, part) => total + (Number(part) || 0), 0)
  : typeof value === 'object' && value !== null ? sum(Object.values(value)) : value);

// Every figure of the epochs as {key, points}; those on validation data under their own names.
function figuresOf(epochs) {
  const figures = new Map();
  const add = (key, epoch, value) => {
    if (kNoFigures.has(key) || !Number.isFinite(value)) return;
    if (!figures.has(key)) figures.set(key, []);
    figures.get(key).push({epoch, value});
  };
  for (const record of epochs) {
    for (const [key, value] of Object.entries(record)) {
      if (key === 'validation') for (const [name, figure] of Object.entries(value ?? {})) add(name === 'loss' ? 'validation loss' : name, record.epoch, figure);
      else add(key, record.epoch, sum(value));
    }
  }
  const rank = (key) => (kFirst.includes(key) ? kFirst.indexOf(key) : kFirst.length);
  return [...figures].filter(([, points]) => points.some(({value}) => value !== 0)).sort(([a], [b]) => rank(a) - rank(b)).map(([key, points]) => ({key, points}));
}

export function createTraining(shell, model) {
  const question = latest();
  const facts = h('div', {class: 'training-facts', role: 'status'});
  const charts = h('div', {class: 'charts', id: 'charts'});
  const element = h('div', {class: 'training'}, facts, charts);
  let epochs = [];
  let watching = false;

  function show({training, best}) {
    const last = epochs.at(-1);
    if (!last) {
      replace(facts);
      replace(charts, training
        ? emptyState('The first epoch is under way', 'Its curves begin here as soon as it is done.', h('div', {class: 'state-mark busy', 'aria-hidden': 'true'}))
        : emptyState('There are no epochs', `A model of the kind “${model.model}” is not trained by epochs.`));
      return;
    }
    const seconds = epochs.reduce((total, {seconds: one}) => total + (one ?? 0), 0) / epochs.length;
    replace(facts,
        training ? h('span', {class: 'fact live'}, h('span', {class: 'pulse', 'aria-hidden': 'true'}), 'under way') : h('span', {class: 'fact'}, 'done'),
        h('span', {class: 'fact', id: 'epoch-count'}, h('strong', {class: 'figure'}, String(epochs.length)), epochs.length === 1 ? ' epoch' : ' epochs'),
        best !== null && best !== undefined && h('span', {class: 'fact'}, 'best ', h('strong', {class: 'figure'}, String(best)), h('i', {class: 'best-key', 'aria-hidden': 'true'})),
        seconds > 0 && h('span', {class: 'fact'}, h('strong', {class: 'figure'}, figureText(seconds)), ' s per epoch'));
    // A chart that is being read is not taken away under the pointer.
    if (charts.matches(':hover') && training && charts.childElementCount > 0) return;
    replace(charts, figuresOf(epochs).map(({key, points}) => chart({title: kNames[key] ?? key, lines: [{name: key, kind: 'a', points}], best: best ?? null})));
  }

  async function watch() {
    const signal = question.next();
    watching = true;
    if (epochs.length === 0) replace(charts, loadingState('Reading the epochs', {rows: 6}));
    try {
      for (;;) {
        const answer = await get(`${modelPath(model.name)}/epochs${queryString({after: epochs.length || null})}`, signal);
        if (answer.total < epochs.length) {
          epochs = [];  // the run was started anew
          continue;
        }
        epochs.push(...answer.epochs);
        show(answer);
        if (answer.epochs.length > 0 && answer.training) shell.announce(`Epoch ${epochs.length}`);
        if (!answer.training) break;
        await pause(kAgain, signal);
      }
    } catch (error) {
      if (!aborted(error)) replace(charts, errorState(error, watch));
    }
    watching = false;
  }

  return {
    element,
    show() {
      if (!watching && epochs.length === 0) watch();
    },
    leave: () => question.stop(),
  };
}
