// SPDX-License-Identifier: MIT
// Brushes: stiffness, and the size of cells.
import { round, rounded, type Hand, type Table, type Touch } from './hand';

abstract class Brush implements Hand {
    private held = -1;
    private last = 0;
    private fresh = true;
    protected constructor(protected readonly table: Table, private readonly pause: number, private readonly colours: [string, string]) {}
    protected abstract dab(touch: Touch, fresh: boolean): void;

    down(touch: Touch): boolean {
        if (!touch.hit) {
            return false;
        }
        this.held = touch.id;
        this.fresh = true;
        this.last = 0;
        this.move(touch);
        return true;
    }
    move(touch: Touch): void {
        this.hover(touch);
        const now = performance.now();
        if (touch.id === this.held && touch.hit && now - this.last > this.pause) {
            this.last = now;
            this.dab(touch, this.fresh);
            this.fresh = false;
        }
    }
    up({ id }: Touch): void {
        if (id === this.held) {
            this.held = -1;
        }
    }
    hover(touch: Touch | null): void { this.table.props.showBrush(touch?.hit?.point ?? null, this.table.radius(), this.colours[touch?.shift ? 1 : 0]); }
    leave(): void { this.hover(null); }
}

export class PaintHand extends Brush {
    constructor(table: Table) { super(table, 45, ['#a04a94', '#1d8f86']); }
    protected dab({ hit, shift }: Touch, fresh: boolean): void {
        this.table.sim.act(['paint', hit!.key, ...rounded(hit!.point), round(1.5 * this.table.radius()), shift ? 0.7 : 1.4], fresh);
    }
}

export class RefineHand extends Brush {
    private waiting = false;
    constructor(table: Table, private readonly nothing: () => void) { super(table, 120, ['#2b62c4', '#b98a2f']); }
    protected dab({ hit, shift }: Touch, fresh: boolean): void {
        if (!this.waiting) {
            this.waiting = true;
            this.table.sim.act([shift ? 'coarsen' : 'refine', hit!.key, ...rounded(hit!.point), round(this.table.radius())], fresh);
        }
    }
    edited(changed: boolean): void {
        if (this.waiting && !changed) {
            this.nothing();
        }
        this.waiting = false;
    }
    override leave(): void {
        this.waiting = false;
        super.leave();
    }
}
