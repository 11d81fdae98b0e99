// The input of a condition: its mistake is underlined at its place, and names of columns are completed.
import { h } from './elements.js';

let count = 0;

/** Creates the input. `names` are completed while a name is typed; `onchange` is called for each edit and `onsubmit` for Return. */
export function filterInput({ label, placeholder, value, names, onchange, onsubmit }) {
  count += 1;
  const id = `filter-${count}`;
  const mirror = h('div', { class: 'filter-mirror', 'aria-hidden': 'true' });
  const list = h('ul', { class: 'completions', id: `${id}-list`, role: 'listbox', 'aria-label': 'Columns', hidden: true });
  const message = h('p', { class: 'field-error', id: `${id}-error`, role: 'alert' });
  const input = h('input', {
    id, class: 'field mono', type: 'text', placeholder, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', role: 'combobox',
    'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': `${id}-list`, 'aria-describedby': `${id}-error`, data: { field: 'filter' },
  });
  input.value = value;
  let chosen = -1;
  let options = [];

  const word = () => /[\p{L}_][\p{L}\p{N}_.]*$/u.exec(input.value.slice(0, input.selectionStart ?? 0))?.[0] ?? '';

  function complete() {
    const start = word();
    options = start ? names.filter(name => name !== start && name.toLowerCase().startsWith(start.toLowerCase())).slice(0, 8) : [];
    chosen = -1;
    list.replaceChildren(...options.map((name, index) => h('li', {
      role: 'option', id: `${id}-${index}`, 'aria-selected': 'false', onpointerdown: event => {
        event.preventDefault();
        accept(index);
      },
    }, name)));
    list.hidden = !options.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    input.removeAttribute('aria-activedescendant');
  }

  function choose(index) {
    chosen = (index + options.length) % options.length;
    [...list.children].forEach((one, position) => one.setAttribute('aria-selected', String(position === chosen)));
    input.setAttribute('aria-activedescendant', `${id}-${chosen}`);
  }

  function accept(index) {
    const start = word();
    input.setRangeText(options[index], input.selectionStart - start.length, input.selectionStart, 'end');
    close();
    edited();
  }

  function close() {
    options = [];
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  function edited() {
    setError(null);
    onchange(input.value);
  }

  input.addEventListener('input', () => {
    complete();
    edited();
  });
  input.addEventListener('blur', close);
  input.addEventListener('scroll', () => { mirror.scrollLeft = input.scrollLeft; });
  input.addEventListener('keydown', event => {
    if (options.length) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        choose(event.key === 'ArrowDown' ? chosen + 1 : (chosen < 0 ? 0 : chosen) - 1);
        return;
      }
      if (event.key === 'Enter' && chosen >= 0) {
        event.preventDefault();
        accept(chosen);
        return;
      }
      if (event.key === 'Escape') {
        event.stopPropagation();
        close();
        return;
      }
    }
    if (event.key === 'Enter') onsubmit(input.value);
  });

  /** Shows what is wrong; `place` is a range in Unicode scalars. */
  function setError(text, place) {
    message.textContent = text ?? '';
    input.toggleAttribute('aria-invalid', false);
    if (text) input.setAttribute('aria-invalid', 'true');
    mirror.replaceChildren();
    if (!text || !place) return;
    const scalars = Array.from(input.value);
    const [from, to] = [Math.min(place[0], scalars.length), Math.min(Math.max(place[1], place[0] + 1), scalars.length)];
    // A mistake at the end, such as a missing operand, has no character of its own.
    const wrong = scalars.slice(from, to).join('') || '\u2003';
    mirror.append(scalars.slice(0, from).join(''), h('mark', null, wrong), scalars.slice(to).join(''));
    mirror.scrollLeft = input.scrollLeft;
    message.append(h('span', { class: 'muted' }, ` (at character ${from + 1}${to > from + 1 ? ` to ${to}` : ''})`));
  }

  const element = h('div', { class: 'field-group filter-group' },
    h('label', { for: id }, label), h('div', { class: 'filter-box' }, mirror, input, list), message);
  return { element, input, setError, get value() { return input.value; }, set value(text) { input.value = text; } };
}
