// The models of the server, and which of them a view can use.
import {get} from './api.js';

export const taskOf = {reason: 'equations', recommend: 'recommend'};

export async function loadModels() {
  return (await get('v1/models')).models;
}

// Whether a view shows a model; a view without a task of its own shows any.
export const fits = (view, model) => !taskOf[view] || model.task === taskOf[view];

// The model for a view: the one that was looked at, or else the first that fits.
export function modelFor(view, models, current) {
  const same = models.find((model) => model.name === current);
  if (same && fits(view, same)) return same;
  return models.find((model) => fits(view, model)) ?? null;
}

const count = (n, one, many) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export function describe(model) {
  const parts = [[model.model, model.form].filter(Boolean).join(' ')];
  if (model.variables !== undefined && model.variables !== null) parts.push(count(model.variables, 'variable', 'variables'));
  if (model.items !== undefined && model.items !== null) parts.push(count(model.items, 'item', 'items'));
  if (model.d) parts.push(`d = ${model.d}`);
  if (model.networks > 1) parts.push(`${model.networks} networks`);
  return parts.join(' · ');
}
