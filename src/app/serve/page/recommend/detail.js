// One item beside a history: why it is recommended or why not, and what goes with it.
import {aborted, get, latest, modelPath, post, queryString} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {icon} from '../shell/icons.js';
import {errorState, loadingState} from '../shell/states.js';
import {paint, truthText} from '../shell/truth.js';
import {exact, shareRows, signed} from './shares.js';

const kSimilar = 8;

export function createDetail({model, titles, rate, open, close}) {
  const why = latest();
  const near = latest();
  const title = h('h2', {id: 'detail-title', tabindex: '-1'});
  const place = h('p', {class: 'detail-place'});
  const thumbs = h('div', {class: 'thumbs'});
  const reasons = h('div', {class: 'detail-reasons'});
  const similar = h('div', {class: 'detail-similar'});
  const element = h('section', {class: 'card detail', 'aria-labelledby': 'detail-title', hidden: true},
      h('div', {class: 'detail-head'}, h('div', {}, title, place), thumbs,
          h('button', {class: 'icon-button detail-close', type: 'button', 'aria-label': 'Close', onclick: close}, icon('close'))),
      reasons, similar);
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  let item = null;
  let near_of = null;

  function showReasons(entry, {listed, past}) {
    const words = past ? '' : entry.words;
    replace(reasons,
        words && h('p', {class: 'words'}, words),
        !past && !words && h('p', {class: 'words muted'}, entry.because.length ? 'No single event argues for it.' : 'Nothing is known about this user yet.'),
        entry.because.length > 0 && [
          h('h3', {}, exact(entry) ? 'Share of each event in the score' : 'What the lead would lose without each event'),
          shareRows(entry),
          exact(entry) && entry.base !== undefined && h('p', {class: 'muted small figure'},
              `${signed(entry.base)} without a history, ${signed(entry.score)} with all of it`),
        ]);
    const figures = `score ${entry.score.toFixed(2)}${entry.probability === undefined ? '' : `, probability ${truthText(entry.probability)}`}`;
    if (past) place.textContent = `in the history, ${past.liked ? 'liked' : 'disliked'}`;
    else if (listed) place.textContent = `number ${listed.rank} of the list, ${figures}`;
    else place.textContent = `not in the list, ${figures}`;
  }

  async function askWhy(history, listed, past) {
    try {
      const entry = listed?.entry ?? await post(`${modelPath(model)}/explain`, {history, item}, why.next());
      titles.learn([entry, ...(entry.because ?? [])]);
      title.textContent = titles.of(item);
      showReasons(entry, {listed, past});
      return entry;
    } catch (error) {
      if (!aborted(error)) replace(reasons, errorState(error));
      return null;
    }
  }

  async function askSimilar() {
    if (near_of === item) return;
    near_of = item;
    replace(similar, h('h3', {}, 'Goes with it'), loadingState('Looking for items like this one', {rows: 3}));
    try {
      const {items} = await get(`${modelPath(model)}/similar${queryString({item, limit: kSimilar})}`, near.next());
      titles.learn(items);
      replace(similar, h('h3', {}, 'Items like this one'), h('ul', {class: 'similar'}, items.map((other) => {
        const figure = h('span', {class: 'figure small similar-truth'}, other.truth === undefined || other.truth === null ? other.score.toFixed(2) : truthText(other.truth));
        if (other.truth !== undefined && other.truth !== null) paint(figure, other.truth);
        return h('li', {}, h('button', {class: 'link-button', type: 'button', onclick: () => open(other.item)}, other.title || other.item), figure);
      })));
    } catch (error) {
      near_of = null;
      if (!aborted(error)) replace(similar, h('p', {class: 'muted small'}, error.message));
    }
  }

  return {
    element,
    // `listed` is {rank, entry} if the item is in the list, `past` its event if it is in the history.
    async show(next, history, {listed, past, events}) {
      const fresh = next !== item || element.hidden;
      item = next;
      element.hidden = false;
      if (fresh) {
        title.textContent = titles.of(item);
        place.textContent = '\u00a0';
        if (!listed) replace(reasons, loadingState('Looking for reasons', {rows: 4}));
      }
      replace(thumbs, [true, false].map((liked) => h('button', {
        class: `icon-button ${liked ? 'yes' : 'no'}`, type: 'button', 'aria-pressed': String(events.some((event) => event.item === item && event.liked === liked)),
        'aria-label': `${liked ? 'Like' : 'Dislike'} ${titles.of(item)}`, title: liked ? 'Like' : 'Dislike', onclick: () => rate(item, liked),
      }, icon(liked ? 'like' : 'dislike'))));
      askSimilar();
      await askWhy(history, listed, past);
      if (!listed && titles.of(item) === item && await titles.find([item]).catch(() => false)) title.textContent = titles.of(item);
    },
    focus: () => title.focus({preventScroll: true}),
    hide() {
      why.stop();
      item = null;
      element.hidden = true;
    },
    leave() {
      why.stop();
      near.stop();
    },
  };
}
