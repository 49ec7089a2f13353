// SPDX-License-Identifier: MIT
// Pointers: mouse, pen and fingers go to the hand that is chosen, or to the camera.
import type { Hand, Table, Touch } from './hand';

export class Pointers {
    private readonly used = new Map<number, PointerEvent>();
    private hovered = 0;
    /** Someone has done something: hints may go. */
    touched = () => {};

    constructor(private readonly table: Table, public hand: Hand) {
        const { canvas, controls } = table.stage;
        // Before the camera's own listeners: what a hand takes they do not see.
        canvas.addEventListener('pointerdown', (event) => {
            if (!event.isTrusted || event.button !== 0 || event.pointerType !== 'touch' && (event.ctrlKey || event.metaKey)) {
                return;
            }
            canvas.focus({ preventScroll: true });
            if (event.pointerType === 'touch' && !event.isPrimary && this.used.size === 0) {
                return; // two fingers on the camera
            }
            if (event.pointerType === 'touch' && this.used.size === 1 && this.hand.cancel?.()) {
                const [first] = this.used.values();
                this.used.clear();
                canvas.dispatchEvent(new PointerEvent('pointerdown', { pointerId: first!.pointerId, pointerType: 'touch', isPrimary: true, clientX: first!.clientX, clientY: first!.clientY, button: 0, buttons: 1, bubbles: true }));
                return; // both look around
            }
            if (this.hand.down(this.touch(event))) {
                this.used.set(event.pointerId, event);
                canvas.setPointerCapture(event.pointerId);
                event.stopImmediatePropagation();
                event.preventDefault();
                this.touched();
            }
        }, { capture: true });
        const moved = (event: PointerEvent) => {
            if (this.used.has(event.pointerId)) {
                this.hand.move(this.touch(event));
                event.stopImmediatePropagation();
            } else if (event.buttons === 0 && this.hand.hover && event.pointerType === 'mouse') {
                const now = performance.now();
                if (now - this.hovered > 30) {
                    this.hovered = now;
                    this.hand.hover(this.touch(event));
                }
            }
        };
        canvas.addEventListener('pointermove', moved, { capture: true });
        const ended = (event: PointerEvent) => {
            if (this.used.delete(event.pointerId)) {
                this.hand.up(this.touch(event));
                event.stopImmediatePropagation();
            }
        };
        canvas.addEventListener('pointerup', ended, { capture: true });
        canvas.addEventListener('pointercancel', ended, { capture: true });
        canvas.addEventListener('pointerleave', () => this.hand.hover?.(null));
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        canvas.addEventListener('wheel', (event) => {
            if (this.hand.wheel?.(event.deltaY)) {
                event.stopImmediatePropagation();
                event.preventDefault();
            }
        }, { capture: true, passive: false });
        // The right button looks around too: with the knife the left one cuts everywhere.
        controls.mouseButtons = { LEFT: 0, MIDDLE: 2, RIGHT: 0 };
        controls.touches = { ONE: 0, TWO: 3 };
    }

    choose(hand: Hand): void {
        this.hand.leave?.();
        this.hand = hand;
    }

    private touch(event: PointerEvent): Touch {
        const ray = this.table.stage.ray(event.clientX, event.clientY);
        return { id: event.pointerId, x: event.clientX, y: event.clientY, ray, hit: this.table.bodies.pick(ray), shift: event.shiftKey };
    }
}
