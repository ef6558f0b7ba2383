// How a list changed: each row slides from where it was to where it is, and says by how many places it moved.
import {calm, h} from '../shell/dom.js';

const kSlide = 320;  // milliseconds

// Remembers where rows are; what it returns lets them slide to where they are then.
export function remember(list) {
  const tops = new Map([...list.children].map((row) => [row.dataset.item, row.getBoundingClientRect().top]));
  return () => {
    if (calm()) return;
    for (const row of list.children) {
      const before = tops.get(row.dataset.item);
      const by = before === undefined ? 0 : before - row.getBoundingClientRect().top;
      if (before === undefined && tops.size > 0) {
        row.animate([{opacity: 0, transform: 'translateX(14px)'}, {opacity: 1, transform: 'none'}], {duration: kSlide, easing: 'ease-out'});
      } else if (Math.abs(by) > 1) {
        row.animate([{transform: `translateY(${by}px)`}, {transform: 'none'}], {duration: kSlide, easing: 'cubic-bezier(.2,.7,.2,1)'});
      }
    }
  };
}

// `before` are the items of the former list, in order; null if there was none.
export function moveBadge(item, rank, before) {
  if (!before) return null;
  const was = before.indexOf(item);
  if (was === rank) return null;
  if (was < 0) return h('span', {class: 'move new'}, 'new');
  const up = was > rank;
  return h('span', {class: `move ${up ? 'up' : 'down'}`},
      h('span', {'aria-hidden': 'true'}, up ? '▲' : '▼'), h('span', {class: 'unseen'}, up ? 'up ' : 'down '), String(Math.abs(was - rank)));
}
