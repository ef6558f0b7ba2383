// A menu that opens beside an element.
import {h} from './dom.js';

let open = null;

// `entries` are {label, mark, act}. Returns to `from` when it closes.
export function openMenu(title, entries, box, from) {
  open?.();
  const menu = h('div', {class: 'menu', role: 'menu', 'aria-label': title},
      h('div', {class: 'menu-title', 'aria-hidden': 'true'}, title),
      entries.map(({label, mark, act}) => h('button', {type: 'button', role: 'menuitem', tabindex: '-1', onclick: () => {
        close();
        act();
      }}, h('span', {class: `dot ${mark ?? ''}`, 'aria-hidden': 'true'}), label)));
  const buttons = () => [...menu.querySelectorAll('button')];
  const close = () => {
    open = null;
    menu.remove();
    removeEventListener('pointerdown', outside, true);
    removeEventListener('scroll', close, true);
    if (from.isConnected) from.focus({preventScroll: true});
  };
  const outside = (event) => {
    if (!menu.contains(event.target)) close();
  };
  menu.addEventListener('keydown', (event) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement);
    const target = {ArrowDown: all[(at + 1) % all.length], ArrowUp: all[(at + all.length - 1) % all.length], Home: all[0], End: all.at(-1)}[event.key];
    if (target) target.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
  });
  document.body.append(menu);
  const {width, height} = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  menu.style.top = `${box.bottom + height + 8 < innerHeight ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`;
  addEventListener('pointerdown', outside, true);
  addEventListener('scroll', close, true);
  open = close;
  buttons()[0].focus({preventScroll: true});
}
