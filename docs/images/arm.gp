# SPDX-License-Identifier: Apache-2.0
# gnuplot docs/images/arm.gp: draws build/arm.csv, the trace of scripts/run, as docs/images/arm.svg.
if (!exists("trace")) trace = "build/arm.csv"
set terminal svg size 860,560 font "sans,13" background "white"
set output "docs/images/arm.svg"
set datafile separator ","
set lmargin at screen 0.10
set rmargin at screen 0.72
set multiplot layout 2,1
set grid lc rgb "#dddddd"
set key outside right
set xrange [0:5]
set ylabel "position [rad]"
set y2label "reach [m]"
set y2tics
set ytics nomirror
set y2range [-0.12:0.12]
plot trace using 1:2 with lines lw 2 lc rgb "#1f77b4" title "shoulder", \
     trace using 1:6 with lines lw 2 lc rgb "#d62728" title "elbow", \
     trace using 1:10 axes x1y2 with lines lw 2 lc rgb "#2ca02c" title "reach"
unset y2label
unset y2tics
set xlabel "simulated time [s]"
set ylabel "effort [N m]"
set yrange [-22:12]
plot trace using 1:5 with lines lw 2 lc rgb "#1f77b4" title "shoulder", \
     trace using 1:9 with lines lw 2 lc rgb "#d62728" title "elbow"
unset multiplot
