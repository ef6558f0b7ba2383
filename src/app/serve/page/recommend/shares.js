// What each event of a history contributes to an item, as figures and as bars: right is for the item, left against it;
// blue is a like, orange a dislike.
import {h} from '../shell/dom.js';

// A model over whole histories gives every event an exact share of the score; for others it is how much the item's lead
// falls without the event.
export const shareOf = (reason) => reason.share ?? reason.effect ?? 0;
export const exact = (entry) => entry.because.some(({share}) => share !== undefined && share !== null);

export function extent(entries) {
  let [against, favour] = [0, 0];
  for (const {because = []} of entries) {
    let [minus, plus] = [0, 0];
    for (const reason of because) {
      const share = shareOf(reason);
      if (share < 0) minus -= share;
      else plus += share;
    }
    against = Math.max(against, minus);
    favour = Math.max(favour, plus);
  }
  return {against, favour, total: against + favour || 1};
}

export const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

// One line in which all shares stand side by side; `span` is the extent of the whole list, so that lines compare.
export function shareLine(entry, span) {
  const line = h('div', {class: 'share-line', 'aria-hidden': 'true'});
  const zero = span.against / span.total;
  let [left, right] = [zero, zero];
  const reasons = [...entry.because].sort((a, b) => Math.abs(shareOf(b)) - Math.abs(shareOf(a)));
  for (const reason of reasons) {
    const share = shareOf(reason);
    const width = Math.abs(share) / span.total;
    if (width < 0.002) continue;
    const part = h('i', {class: reason.liked ? 'yes' : 'no', 'data-event': reason.item, title: `${reason.title || reason.item}: ${signed(share)}`});
    if (share < 0) left -= width;
    part.style.left = `${(share < 0 ? left : right) * 100}%`;
    part.style.width = `${width * 100}%`;
    if (share >= 0) right += width;
    line.append(part);
  }
  const axis = h('b');
  axis.style.left = `${zero * 100}%`;
  line.append(axis);
  return line;
}

// One row for every event.
export function shareRows(entry) {
  const shares = entry.because.map(shareOf);
  const [low, high] = [Math.min(0, ...shares), Math.max(0, ...shares)];
  const zero = -low / (high - low || 1);
  return h('ul', {class: 'share-rows'}, [...entry.because].sort((a, b) => shareOf(b) - shareOf(a)).map((reason) => {
    const share = shareOf(reason);
    const bar = h('i', {class: reason.liked ? 'yes' : 'no'});
    const width = Math.abs(share) / (high - low || 1);
    bar.style.left = `${(share < 0 ? zero - width : zero) * 100}%`;
    bar.style.width = `${Math.max(width * 100, 0.6)}%`;
    const axis = h('b');
    axis.style.left = `${zero * 100}%`;
    return h('li', {class: 'share-row', 'data-event': reason.item},
        h('span', {}, h('span', {class: 'unseen'}, reason.liked ? 'liked ' : 'disliked '),
            h('span', {class: `sign ${reason.liked ? 'yes' : 'no'}`, 'aria-hidden': 'true'}, reason.liked ? '+' : '−'), reason.title || reason.item),
        h('span', {class: 'figure share-figure'}, signed(share)),
        h('div', {class: 'share-bar', 'aria-hidden': 'true'}, bar, zero > 0 ? axis : null));
  }));
}
