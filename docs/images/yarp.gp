# SPDX-License-Identifier: Apache-2.0
# The figures of docs/reference/yarp.md, from a run of the example:
#   control_board worlds/icub_arm.wbt run.csv && gnuplot docs/images/yarp.gp
set datafile separator ","
set terminal svg size 640,300 font "sans,12" background "white"
set xlabel "time / s"
set ylabel "elbow / deg"
set grid
set key above
set output "docs/images/yarp_move.svg"
plot [0:3.5] "run.csv" using 1:2 with lines lw 4 lc "#bbbbbb" title "minimum jerk to 60 deg at 20 deg/s", \
  "" using 1:3 with lines lw 1.5 dt (6,3) lc "#004488" title "encoder"
set output "docs/images/yarp_compliant.svg"
plot [3.7:5.5] "run.csv" using 1:2 with lines lw 4 lc "#bbbbbb" title "reference", \
  "" using 1:3 with lines lw 1.5 dt (6,3) lc "#004488" title "encoder: bent by 20 deg, let go"
