// Recommend: what someone liked and disliked, what comes next at every click, and why.
import {joinList, splitList} from '../shell/address.js';
import {aborted, get, latest, modelPath, post, queryString} from '../shell/api.js';
import {h, replace} from '../shell/dom.js';
import {icon} from '../shell/icons.js';
import {searchBox, withMark} from '../shell/search_box.js';
import {errorState, loadingState} from '../shell/states.js';
import {createDetail} from './detail.js';
import {formatHistory, parseHistory} from './history.js';
import {moveBadge, remember} from './moves.js';
import {extent, shareLine} from './shares.js';
import {createTitles} from './titles.js';

const kListed = 10;
const kFound = 12;
const kPopular = 12;

const plural = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export function createRecommend(shell, model) {
  const question = latest();
  const looking = latest();
  const titles = createTitles(model.name);
  let address = null;
  let events = [];            // the history, oldest first
  let away = new Set();       // items of it that are taken away
  let listed = null;          // the entries that are shown
  let before = null;          // the items of the list before, for what moved
  let asked = null;           // what the list that is shown answers
  let popular = null;
  let waiting = false;        // whether the list that is being asked for gets the focus
  let lit = null;             // the event whose shares are shown

  const history = h('ul', {class: 'events', id: 'history'});
  const historyNote = h('p', {class: 'muted small'});
  const clear = h('button', {class: 'link-button small', type: 'button', id: 'clear', onclick: () => { go({h: '', off: '', item: ''}); rater.field.focus(); }}, 'start anew');
  const list = h('ol', {class: 'items', id: 'items'});
  const listNote = h('span', {class: 'muted'});
  const listTitle = h('h2', {}, 'Recommended');
  const key = h('p', {class: 'legend-line small muted', 'aria-hidden': 'true'},
      h('span', {}, h('i', {class: 'bar-key'}), 'from a like'), h('span', {}, h('i', {class: 'bar-key no'}), 'from a dislike'), h('span', {}, 'left of the line: against it'));
  const listBody = h('div', {});
  const detail = createDetail({model: model.name, titles, rate, open: select, close: () => select(null)});
  const hint = h('section', {class: 'card detail-hint'}, h('h2', {}, 'Why, or why not?'),
      h('p', {class: 'muted'}, 'Choose an item of the list to see what each event contributes to it, and what is like it. Or ask about any other item: why is it not in the list?'));

  const present = (searched, thumbs) => (hit) => ({
    label: `${hit.title || hit.item}${hit.likes ? `, ${plural(hit.likes, 'like', 'likes')}` : ''}`,
    content: [
      h('span', {class: 'option-name'}, withMark(hit.title || hit.item, searched())),
      h('span', {class: 'muted small figure'}, hit.likes ? hit.likes.toLocaleString('en') : ''),
      thumbs && h('span', {class: 'option-thumbs'}, [true, false].map((liked) => {
        const now = events.find(({item}) => item === hit.item);
        return h('span', {class: `icon-button ${liked ? 'yes' : 'no'}`, 'aria-pressed': String(now?.liked === liked), 'data-liked': String(liked), title: liked ? 'Like' : 'Dislike'},
            icon(liked ? 'like' : 'dislike'));
      })),
    ],
  });
  async function findItems(q, signal) {
    const {items} = await get(`${modelPath(model.name)}/items${queryString({q, limit: kFound})}`, signal);
    titles.learn(items);
    return items;
  }
  const rater = searchBox({
    id: 'search-items', label: 'Search items to like or dislike', placeholder: 'Search titles', find: findItems, keepOpen: true,
    present: (hit) => present(() => rater.field.value.trim(), true)(hit),
    choose: (hit, event) => rate(hit.item, event.target.closest?.('[data-liked]')?.dataset.liked !== 'false' && !event.shiftKey),
    note: () => 'Enter likes, Shift + Enter dislikes',
  });
  const asker = searchBox({
    id: 'search-why', label: 'Ask about an item', placeholder: 'Ask about any item', find: findItems,
    present: (hit) => present(() => asker.field.value.trim(), false)(hit),
    choose: (hit) => select(hit.item),
  });

  const element = h('div', {class: 'recommend'},
      h('div', {class: 'page-head'}, h('h1', {}, 'What comes next?')),
      h('section', {class: 'column column-history card', 'aria-label': 'History'},
          rater.element,
          h('div', {class: 'card-head history-head'}, h('h2', {}, 'History'), clear),
          historyNote, history),
      h('section', {class: 'column column-list card', 'aria-label': 'Recommendations', 'aria-busy': 'false'},
          h('div', {class: 'card-head'}, listTitle, listNote), key, listBody),
      h('div', {class: 'column column-detail'}, h('div', {class: 'card asker'}, asker.element), hint, detail.element));

  function go(params) {
    shell.go({...address, params: {...address.params, ...params}});
  }

  // Likes or dislikes an item, or takes that back.
  function rate(item, liked) {
    const at = events.findIndex((event) => event.item === item);
    const next = [...events];
    if (at < 0) next.push({item, liked});
    else if (next[at].liked === liked) next.splice(at, 1);
    else next[at] = {item, liked};
    const off = [...away].filter((other) => other !== item);
    go({h: formatHistory(next), off: joinList(off)});
    const name = titles.of(item);
    shell.announce(at >= 0 && events.length > next.length ? `${name} removed` : `${name} ${liked ? 'liked' : 'disliked'}`);
  }

  function toggle(item) {
    const off = new Set(away);
    if (!off.delete(item)) off.add(item);
    go({off: joinList([...off])});
  }

  function select(item) {
    const former = address.params.item;
    go({item: item ?? ''});
    if (item) detail.focus();
    else if (former) (list.querySelector(`li[data-item="${CSS.escape(former)}"] .item-name`) ?? rater.field).focus({preventScroll: true});
  }

  // Shows which parts of all bars come from one event of the history.
  function lightUp(item) {
    lit = item;
    const shown = item !== null && !away.has(item);
    for (const part of element.querySelectorAll('[data-event]')) part.classList.toggle('lit', shown && part.dataset.event === item);
    element.classList.toggle('lighting', shown && element.querySelector('.lit') !== null);
  }

  function showHistory() {
    clear.hidden = events.length === 0;
    historyNote.textContent = events.length === 0 ? 'Empty so far. Search above, or begin with what is popular.' : 'newest first';
    const focused = history.contains(document.activeElement) ? document.activeElement : null;
    const row = focused?.closest('li');
    const place = [...history.children].indexOf(row);
    replace(history, [...events].reverse().map(({item, liked}) => {
      const name = titles.of(item);
      const off = away.has(item);
      const button = (action, label, symbol, act, more = {}) => h('button', {class: `icon-button ${more.class ?? ''}`, type: 'button', 'data-action': action, 'aria-label': `${label} ${name}`, title: label,
                                                                             'aria-pressed': more.pressed, onclick: act}, icon(symbol));
      return h('li', {class: `event${off ? ' off' : ''}`, 'data-item': item, onmouseenter: () => lightUp(item), onmouseleave: () => lightUp(null)},
          button('sign', liked ? 'Liked. Dislike instead:' : 'Disliked. Like instead:', liked ? 'like' : 'dislike', () => rate(item, !liked), {class: liked ? 'yes' : 'no', pressed: 'true'}),
          h('button', {class: 'event-name', type: 'button', onclick: () => select(item)}, name),
          button('off', off ? 'Count again' : 'Take away', off ? 'hidden' : 'eye', () => toggle(item), {pressed: String(off)}),
          button('remove', 'Remove', 'close', () => rate(item, liked)));
    }));
    if (!focused) return;
    // Where an event was removed, its neighbour has the focus.
    const now = history.querySelector(`li[data-item="${CSS.escape(row.dataset.item)}"]`) ?? history.children[Math.min(place, history.children.length - 1)];
    (now?.querySelector(focused.dataset.action ? `[data-action="${focused.dataset.action}"]` : '.event-name') ?? rater.field).focus();
  }

  function thumbButtons(item) {
    const name = titles.of(item);
    return h('span', {class: 'thumbs'}, [true, false].map((liked) => h('button', {class: `icon-button ${liked ? 'yes' : 'no'}`, type: 'button',
                                                                                  'aria-label': `${liked ? 'Like' : 'Dislike'} ${name}`, title: liked ? 'Like' : 'Dislike',
                                                                                  'aria-pressed': String(events.some((event) => event.item === item && event.liked === liked)),
                                                                                  onclick: () => rate(item, liked)}, icon(liked ? 'like' : 'dislike'))));
  }

  function showList(entries, milliseconds) {
    const slide = remember(list);
    const focused = list.contains(document.activeElement) ? [...list.children].findIndex((row) => row.contains(document.activeElement)) : -1;
    const thumb = document.activeElement?.classList.contains('no') ? '.thumbs .no' : document.activeElement?.classList.contains('yes') ? '.thumbs .yes' : '.item-name';
    const former = listed === null ? null : listed.map(({item}) => item);
    listed = entries;
    before = former;
    const span = extent(entries);
    const anyShare = entries.some(({because}) => because?.length > 0);
    key.hidden = !anyShare;
    key.lastChild.hidden = span.against < 0.02 * span.total;
    listNote.textContent = `of ${plural(model.items, 'item', 'items')}${milliseconds === null ? '' : ` in ${Math.max(1, Math.round(milliseconds))} ms`}`;
    replace(list, entries.map((entry, rank) => {
      const name = entry.title || entry.item;
      return h('li', {class: 'item', 'data-item': entry.item},
          h('span', {class: 'rank figure', 'aria-hidden': 'true'}, String(rank + 1)),
          h('div', {class: 'item-body'},
              h('div', {class: 'item-line'},
                  h('button', {class: 'item-name', type: 'button', 'aria-expanded': 'false', onclick: () => select(address.params.item === entry.item ? null : entry.item)}, name),
                  moveBadge(entry.item, rank, before)),
              entry.words ? h('p', {class: 'item-words muted small'}, entry.words) : null,
              entry.because?.length > 0 ? shareLine(entry, span) : null),
          thumbButtons(entry.item));
    }));
    if (!list.isConnected) replace(listBody, list);
    if (waiting && document.activeElement === document.body) list.querySelector('.item-name')?.focus({preventScroll: true});
    waiting = false;
    if (focused >= 0) (list.children[focused] ?? list.lastElementChild)?.querySelector(thumb)?.focus({preventScroll: true});
    slide();
    showSelected();
    lightUp(events.some(({item}) => item === lit) ? lit : null);
  }

  function showSelected() {
    for (const row of list.children) {
      const selected = row.dataset.item === address.params.item;
      row.classList.toggle('selected', selected);
      row.querySelector('.item-name').setAttribute('aria-expanded', String(selected));
    }
    const item = address.params.item;
    hint.hidden = Boolean(item);
    element.classList.toggle('has-detail', Boolean(item));
    if (!item) return detail.hide();
    const rank = (listed ?? []).findIndex((entry) => entry.item === item);
    const counted = events.filter((event) => !away.has(event.item));
    const past = events.find((event) => event.item === item);
    detail.show(item, counted, {listed: rank >= 0 ? {rank: rank + 1, entry: listed[rank]} : null, past, events});
  }

  // Nobody is known yet: what many liked, to begin with.
  async function showPopular() {
    question.stop();
    asked = '';
    listed = null;
    listTitle.textContent = 'Begin with something';
    listNote.textContent = 'the most popular';
    key.hidden = true;
    try {
      if (!popular) {
        replace(listBody, loadingState('Looking for popular items', {rows: 8}));
        popular = (await get(`${modelPath(model.name)}/items${queryString({limit: kPopular})}`, question.next())).items;
        titles.learn(popular);
      }
      replace(listBody, h('ul', {class: 'items popular'}, popular.map((hit) => h('li', {class: 'item', 'data-item': hit.item},
          h('div', {class: 'item-body'}, h('button', {class: 'item-name', type: 'button', onclick: () => select(hit.item)}, hit.title || hit.item),
              hit.likes ? h('span', {class: 'muted small figure'}, plural(hit.likes, 'like', 'likes')) : null),
          thumbButtons(hit.item)))));
      showSelected();
    } catch (error) {
      if (!aborted(error)) replace(listBody, errorState(error, showPopular));
    }
  }

  async function ask() {
    const counted = events.filter(({item}) => !away.has(item));
    const wish = JSON.stringify([counted, events.map(({item}) => item)]);
    if (events.length === 0) return showPopular();
    if (wish === asked && listed) return showSelected();
    listTitle.textContent = 'Recommended';
    if (!listed) {
      waiting = listBody.contains(document.activeElement);
      replace(listBody, loadingState('Looking for what comes next', {rows: 9}));
    }
    element.querySelector('.column-list').setAttribute('aria-busy', 'true');
    const begin = performance.now();
    try {
      // What was taken away is still known, so it is not recommended again.
      const {items} = await post(`${modelPath(model.name)}/recommend`, {history: counted, n: kListed, explain: true, exclude: [...away]}, question.next());
      asked = wish;
      for (const entry of items) titles.learn([entry, ...(entry.because ?? [])]);
      showList(items, performance.now() - begin);
      element.querySelector('.column-list').setAttribute('aria-busy', 'false');
      shell.announce(items.length ? `First now: ${items[0].title || items[0].item}` : 'Nothing is left to recommend');
      if (items.length === 0) replace(listBody, h('p', {class: 'muted'}, 'Nothing is left to recommend.'));
    } catch (error) {
      if (aborted(error)) return;
      element.querySelector('.column-list').setAttribute('aria-busy', 'false');
      listed = null;
      asked = null;
      replace(listBody, errorState(error, ask));
    }
  }

  async function nameHistory() {
    try {
      if (await titles.find(events.map(({item}) => item), looking.next())) showHistory();
    } catch {
      // They are shown by their ids.
    }
  }

  return {
    element,
    show(next) {
      address = next;
      events = parseHistory(next.params.h);
      away = new Set(splitList(next.params.off).filter((item) => events.some((event) => event.item === item)));
      showHistory();
      nameHistory();
      ask();
      rater.refresh();
    },
    renew() {
      asked = null;
      popular = null;
      ask();
    },
    leave() {
      question.stop();
      looking.stop();
      rater.leave();
      asker.leave();
      detail.leave();
    },
  };
}
